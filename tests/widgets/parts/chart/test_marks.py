"""Marks without a screen: order, choice, carrying, and room for their labels."""

from collections.abc import Sequence
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from widgets.parts.chart.marks import ChartMark, Marks, PlacedLabel, hidden_at, place_labels, widen_labels

ROOM = 800.0


def mark(number: int, at_seconds: float) -> ChartMark:
    return ChartMark(number=number, at_seconds=at_seconds, label=f"mark {number}")


def test_marks_are_sorted_by_time() -> None:
    marks = Marks()
    marks.set([mark(1, 50), mark(2, 10)])

    assert [each.number for each in marks.all] == [2, 1]


def test_stepping_stops_at_the_first_and_last_mark() -> None:
    marks = Marks()
    assert marks.step(1) is None
    marks.set([mark(1, 50), mark(2, 10)])

    assert [marks.step(by) for by in (1, 1, 1, -1, -1)] == [2, 1, 1, 2, 2]


def test_stepping_back_without_selection_selects_the_last_mark() -> None:
    marks = Marks()
    marks.set([mark(1, 50), mark(2, 10)])

    assert marks.step(-1) == 1


def test_dragged_mark_keeps_its_position_when_marks_are_set() -> None:
    marks = Marks()
    marks.set([mark(1, 50), mark(2, 10)])
    marks.drag(1, 5)
    marks.set([mark(1, 50), mark(2, 10)])
    assert [(each.number, each.at_seconds) for each in marks.all] == [(1, 5), (2, 10)]

    marks.drop()
    marks.set([mark(1, 50), mark(2, 10)])
    assert [(each.number, each.at_seconds) for each in marks.all] == [(2, 10), (1, 50)]


def test_removed_mark_is_deselected() -> None:
    marks = Marks()
    marks.set([mark(1, 50)])
    marks.step(1)
    marks.set([])

    assert marks.chosen is None


@given(
    st.lists(st.tuples(st.floats(0, 600), st.floats(10, 150)), max_size=20),
    st.integers(1, 4),
    st.sampled_from([20.0, 60.0, inf]),
)
def test_labels_never_overlap_and_no_stem_runs_through_one(
    marks: list[tuple[float, float]], most_rows: int, narrowest: float
) -> None:
    at, widths = zip(*sorted(marks), strict=True) if marks else ((), ())

    placed = place_labels(at, widths, ROOM, most_rows, narrowest)

    assert sum(hidden_at(placed)) == (placed.count(None) if any(placed) else 0)
    for place, width in zip(placed, widths, strict=True):
        assert place is None or place.width == width or narrowest <= place.width < width

    wider = widen_labels(placed, [2 * width for width in widths], ROOM)
    for place, before in zip(wider, placed, strict=True):
        assert (place is None) is (before is None)
        assert place is None or before is None or before.width <= place.width
    _check_apart(wider, at, most_rows)
    _check_apart(placed, at, most_rows)


def _check_apart(placed: Sequence[PlacedLabel | None], at: Sequence[float], most_rows: int) -> None:
    shown = [(place, stem) for place, stem in zip(placed, at, strict=True) if place is not None]
    for number, (place, _) in enumerate(shown):
        assert place.row < most_rows
        assert place.left >= 0
        assert place.left + place.width <= ROOM + 1e-6
        for later, later_stem in shown[number + 1 :]:
            apart = place.left + place.width <= later.left + 1e-6
            assert apart or place.row > later.row
            assert later_stem >= place.left


def test_close_marks_stack_with_the_earliest_on_top_and_far_ones_stand_alone() -> None:
    placed = place_labels([100, 110, 120, 600], [100, 100, 100, 100], ROOM, 4)

    assert [place.row for place in placed if place] == [2, 1, 0, 0]


def test_label_without_a_free_row_is_hidden() -> None:
    placed = place_labels([100, 110, 120], [100, 100, 100], ROOM, 2)

    assert [place is None for place in placed] == [True, False, False]


def test_labels_are_elided_at_the_next_label() -> None:
    placed = place_labels([100, 100, 200, 200], [150, 150, 150, 150], ROOM, 2, narrowest=60)

    assert [(place.left, place.width, place.row) for place in placed if place] == [
        (100, 100, 1),
        (100, 100, 0),
        (200, 150, 1),
        (200, 150, 0),
    ]


def test_an_elided_label_takes_the_free_room_behind_it() -> None:
    placed = place_labels([100, 110, 600], [50, 50, 50], ROOM, 4)
    assert [place.row for place in placed if place] == [1, 0, 0]

    wider = widen_labels(placed, [300, 700, 120], ROOM)

    assert [place.width for place in wider if place] == [300, 490, 120]


def test_label_counts_hidden_labels_at_its_position() -> None:
    placed = place_labels([100] * 5, [150] * 5, ROOM, 2, narrowest=60)

    assert [place is not None for place in placed] == [False, False, False, True, True]
    assert hidden_at(placed) == [0, 0, 0, 3, 0]
