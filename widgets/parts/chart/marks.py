"""The marks of a chart without their painting: their order, selection and dragging, and the placement of labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from widgets.parts.look import Colours


@dataclass(frozen=True, kw_only=True)
class ChartMark:
    """A moment with a label; ``number`` identifies the mark in signals. A mark that ``is_fixed`` can't be edited.
    ``colour`` is that of the curve to which it belongs, if there are several."""

    number: int
    at_seconds: float
    label: str
    is_fixed: bool = False
    colour: Callable[[Colours], str] | None = None


@dataclass(frozen=True)
class PlacedLabel:
    """A label's place: pixels from the left of the strip, and its row from the bottom."""

    left: float
    width: float
    row: int


def mark_colour(mark: ChartMark | None, colours: Colours) -> str:
    """The colour of a mark's line and label."""
    return colours.mark if mark is None or mark.colour is None else mark.colour(colours)


class Marks:
    """The marks in the order of their times. At most one is selected; one that is being dragged stays at the
    pointer."""

    def __init__(self) -> None:
        self.all: tuple[ChartMark, ...] = ()
        self.chosen: int | None = None
        self._dragged_mark: ChartMark | None = None

    def set(self, marks: Sequence[ChartMark]) -> None:
        dragged_mark = self._dragged_mark
        kept = [
            dragged_mark if dragged_mark is not None and mark.number == dragged_mark.number else mark for mark in marks
        ]
        self.all = tuple(sorted(kept, key=lambda mark: (mark.at_seconds, mark.number)))
        if self.chosen is not None and self.of(self.chosen) is None:
            self.chosen = None

    def of(self, number: int) -> ChartMark | None:
        return next((mark for mark in self.all if mark.number == number), None)

    def drag(self, number: int, at_seconds: float) -> None:
        """Show a mark at another second while it is dragged."""
        mark = self.of(number)
        if mark is not None:
            self._dragged_mark = replace(mark, at_seconds=at_seconds)
            self.set(self.all)

    @property
    def dragged_mark(self) -> int | None:
        """The mark that is being dragged."""
        return None if self._dragged_mark is None else self._dragged_mark.number

    def drop(self) -> None:
        """The mark stays at the second to which it was dragged until it is set again."""
        self._dragged_mark = None

    def step(self, by: int) -> int | None:
        """Select the next mark, or the one before; without a selection the first or the last."""
        if not self.all:
            return None
        numbers = [mark.number for mark in self.all]
        if self.chosen is None:
            place = 0 if by > 0 else len(numbers) - 1
        else:
            place = min(max(0, numbers.index(self.chosen) + by), len(numbers) - 1)
        self.chosen = numbers[place]
        return self.chosen


def place_labels(
    at: Sequence[float], widths: Sequence[float], room: float, most_rows: int, narrowest: float = inf
) -> list[PlacedLabel | None]:
    """Places for the labels of marks at the pixels ``at``, from left to right; ``None`` where there is no room.

    A label begins at its mark. Of close marks the later ones are lower, so that no line runs through the label of
    another mark. A label at the right end is moved inside. A label without a row is cut where the next label begins,
    but not to less than ``narrowest``.
    """
    placed: list[PlacedLabel | None] = [None] * len(at)
    for number in reversed(range(len(at))):
        later = [other for other in placed[number + 1 :] if other is not None]
        left = min(at[number], room - widths[number])
        cuts = sorted({other.left - left for other in later if narrowest <= other.left - left < widths[number]})
        for width in (widths[number], *reversed(cuts)):
            row = max((other.row + 1 for other in later if other.left < left + width), default=0)
            if left >= 0 and row < most_rows:
                placed[number] = PlacedLabel(left, width, row)
                break
    return placed


def widen_labels(
    places: Sequence[PlacedLabel | None], widths: Sequence[float], room: float
) -> list[PlacedLabel | None]:
    """The places of labels, up to these widths where there is free room on the right: before a later label of the same
    row, and before the line of one above, which goes down to the chart."""
    wider = list(places)
    for number, (place, width) in enumerate(zip(places, widths, strict=True)):
        if place is not None:
            later = [each.left for each in places[number + 1 :] if each is not None and each.row >= place.row]
            free = min(later, default=room) - place.left
            wider[number] = replace(place, width=max(place.width, min(width, free)))
    return wider


def hidden_at(places: Sequence[PlacedLabel | None]) -> list[int]:
    """For each label, how many hidden labels are before it, or after the last one: its text shows that number."""
    hidden_before = [0] * len(places)
    hidden = 0
    last: int | None = None
    for number, place in enumerate(places):
        if place is None:
            hidden += 1
        else:
            hidden_before[number], hidden, last = hidden, 0, number
    if last is not None:
        hidden_before[last] += hidden
    return hidden_before
