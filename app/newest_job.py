"""Slow work of which only the latest matters: the user may ask for something else before it is done."""

from collections.abc import Callable
from typing import Any, TypeVar

from app.background import Background, Job

T = TypeVar("T")


def _ignore(*_: Any) -> None:
    """The default callback."""


class NewestJob:
    """One piece of work at a time; no callback of replaced or dropped work is called."""

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
        """Start ``work`` in place of what is running; the callbacks are those of ``Background.start``."""
        self.drop()

        def if_newest(call: Callable[..., None]) -> Callable[..., None]:
            return lambda *values: call(*values) if self._job is started else None

        started: Job[Any] = self._background.start(
            work, done=if_newest(done), failed=if_newest(failed), progressed=if_newest(progressed)
        )
        self._job = started

    def drop(self) -> None:
        """Cancel the work; no callback is called any more."""
        if self._job is not None:
            self._job.cancel()
        self._job = None
