"""Slow work of which only the newest counts: the user may wish for something else before it is done."""

from collections.abc import Callable
from typing import Any, TypeVar

from app.background import Background, Job

T = TypeVar("T")


def _ignore(*_: Any) -> None:
    """For whom the rest is enough."""


class NewestJob:
    """One piece of work at a time: of one that was replaced or dropped nothing is told, however it ends."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self._job: Job[Any] | None = None

    def start(
        self,
        work: Callable[[Job[T]], T],
        *,
        failed: Callable[[BaseException], None],
        done: Callable[[T], None] = _ignore,
        progressed: Callable[[str, float], None] = _ignore,
    ) -> None:
        """Begin ``work`` in place of what goes on; the others as ``Background.start`` calls them."""
        self.drop()

        def if_newest(call: Callable[..., None]) -> Callable[..., None]:
            return lambda *values: call(*values) if self._job is started else None

        started: Job[Any] = self._background.start(
            work, done=if_newest(done), failed=if_newest(failed), progressed=if_newest(progressed)
        )
        self._job = started

    def drop(self) -> None:
        """Ask the work to end; nothing more is heard of it."""
        if self._job is not None:
            self._job.cancel()
        self._job = None
