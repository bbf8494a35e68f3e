"""Progress and cancelling of the library's long work."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from engine.errors import Cancelled

_Item = TypeVar("_Item")


class Watch:
    """Whoever waits for long work: ``tell`` gets the share that is done, ``cancelled`` is asked before each step."""

    def __init__(self, tell: Callable[[float], None] | None, cancelled: Callable[[], bool] | None) -> None:
        self._tell = tell
        self._cancelled = cancelled

    def over(self, steps: Iterable[_Item], count: int) -> Iterator[_Item]:
        """The steps, of which there are ``count``, one by one. Raises ``Cancelled``."""
        for number, step in enumerate(steps, start=1):
            if self._cancelled is not None and self._cancelled():
                raise Cancelled
            yield step
            if self._tell is not None:
                self._tell(number / count)

    def part(self, number: int, parts: int) -> "Watch":
        """A watch over the part of this number, from 0, of several that are as long."""
        tell = self._tell
        return Watch(None if tell is None else lambda done: tell((number + done) / parts), self._cancelled)
