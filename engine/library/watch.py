"""Progress reports and cancellation of the library's long operations."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from engine.errors import Cancelled

_Item = TypeVar("_Item")


class Watch:
    """A long operation: ``on_progress`` gets the share that is done, ``cancelled`` is called before each step."""

    def __init__(self, on_progress: Callable[[float], None] | None, cancelled: Callable[[], bool] | None) -> None:
        self._on_progress = on_progress
        self._cancelled = cancelled

    def over(self, steps: Iterable[_Item], count: int) -> Iterator[_Item]:
        """Iterate over ``count`` steps. Raises ``Cancelled``."""
        for number, step in enumerate(steps, start=1):
            if self._cancelled is not None and self._cancelled():
                raise Cancelled
            yield step
            if self._on_progress is not None:
                self._on_progress(number / count)

    def part(self, number: int, parts: int) -> "Watch":
        """The watch of one of several equally long parts, ``number`` counting from 0."""
        on_progress = self._on_progress
        return Watch(
            None if on_progress is None else lambda done: on_progress((number + done) / parts), self._cancelled
        )
