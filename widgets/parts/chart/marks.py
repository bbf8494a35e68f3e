"""The marks of a chart without their painting: which there are, which is chosen or held, and where labels find room."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf

from widgets.parts.look import Colours


@dataclass(frozen=True, kw_only=True)
class ChartMark:
    """A moment with a label; ``number`` is the mark's own, by which wishes name it. One that ``is_fixed`` stays as it
    is, even where marks can be edited. ``colour`` is that of the curve that it belongs to, where there are several."""

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
    """The marks in the order of their times. At most one is chosen; one that is dragged stays under the hand."""

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
        """Carry a mark to another second for now."""
        mark = self.of(number)
        if mark is not None:
            self._dragged_mark = replace(mark, at_seconds=at_seconds)
            self.set(self.all)

    @property
    def dragged_mark(self) -> int | None:
        """The mark that is carried."""
        return None if self._dragged_mark is None else self._dragged_mark.number

    def drop(self) -> None:
        """The mark stays where it was carried until it is set again."""
        self._dragged_mark = None

    def step(self, by: int) -> int | None:
        """Choose the next mark, or the one before; from none, the first or the last."""
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
    """Where the labels of marks at the pixels ``at``, from left to right, find room; ``None`` where there is none.

    A label begins at its mark. Of close marks the later ones stand lower, so that no stem runs through a label of
    another. A label at the right end is moved back inside. One that finds no row is cut where the next label begins,
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


def hidden_at(places: Sequence[PlacedLabel | None]) -> list[int]:
    """For each label, how many found no room that stand before it, or after the last: the next one tells of them."""
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
