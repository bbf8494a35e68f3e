import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.faults.marks import LONGEST_LABEL, changed_mark, checked_label, checked_time, is_mark, new_mark
from engine.telemetry.event import EventKind, RunEvent

MARK = RunEvent(at_seconds=7.25, kind=EventKind.MARK, label="Failover", detail="node 2", by_hand=True, number=4)


def test_a_mark_is_an_event_without_a_number_yet() -> None:
    assert new_mark(" Enclosure\n pulled ", 12.3456, detail="rack 3") == RunEvent(
        at_seconds=12.346, kind=EventKind.MARK, label="Enclosure pulled", detail="rack 3", by_hand=True, number=0
    )


def test_a_change_leaves_everything_else() -> None:
    renamed = changed_mark(MARK, label="Failed over")
    moved = changed_mark(MARK, at_seconds=8)

    assert (renamed.label, renamed.at_seconds) == ("Failed over", 7.25)
    assert (moved.label, moved.at_seconds) == ("Failover", 8.0)
    assert {(each.number, each.detail, each.by_hand) for each in (renamed, moved)} == {(4, "node 2", True)}


@pytest.mark.parametrize("label", ["", "  \n", "x" * (LONGEST_LABEL + 1), "bell\a", "half \ud800", None])
def test_a_label_that_can_not_be(label: str) -> None:
    with pytest.raises(BadInput, match=r"^a mark's label "):
        checked_label(label)
    with pytest.raises(BadInput, match=r"^a mark's label "):
        changed_mark(MARK, label=label or "")


@pytest.mark.parametrize("label", ["x" * LONGEST_LABEL, "👩‍🔧 pulled it", "Gehäuse [b]gezogen[/b]"])
def test_a_label_may_be_any_text(label: str) -> None:
    assert checked_label(label) == label


@pytest.mark.parametrize("at_seconds", [-0.001, math.nan, math.inf, -math.inf])
def test_a_time_that_can_not_be(at_seconds: float) -> None:
    with pytest.raises(BadInput, match=r"^a mark's time is .* s; give one from 0 s"):
        checked_time(at_seconds)


@given(st.floats(0, 1e9))
def test_a_time_is_kept_to_the_millisecond(at_seconds: float) -> None:
    assert abs(checked_time(at_seconds) - at_seconds) <= 0.000_6
    assert checked_time(checked_time(at_seconds)) == checked_time(at_seconds)


def test_what_the_user_set_can_be_changed_and_nothing_else() -> None:
    changeable = {(kind, by_hand) for kind in EventKind for by_hand in (True, False) if is_mark(kind, by_hand=by_hand)}
    assert changeable == {(EventKind.MARK, True), (EventKind.MARK, False), (EventKind.FAULT_END, True)}
