"""Edits of the displayed run's marks, with undo.

A running run keeps its marks itself; those of a stored run are in the library.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from app.background import Background
from app.workbench import Workbench
from engine.analysis.loads_data import LoadsData
from engine.analysis.run_data import RunData
from engine.telemetry.event import RunEvent

if TYPE_CHECKING:
    from engine.driver.run import Run
    from engine.library.library import Library

Done = Callable[[], None]


def _nothing() -> None:
    """The default callback."""


class MarkKeeper(Protocol):
    """Where the marks of one run are stored; every method returns at once, ``done`` is called when it is stored."""

    def change(self, number: int, label: str | None, at_seconds: float | None, done: Done = ...) -> None: ...

    def remove(self, number: int, done: Done = ...) -> None: ...

    def put_back(self, mark: RunEvent) -> None: ...


class RunMarks:
    """The marks of a running run; changes come back as events."""

    def __init__(self, run: "Run") -> None:
        self._run = run

    def change(self, number: int, label: str | None, at_seconds: float | None, done: Done = _nothing) -> None:
        self._run.change_mark(number, label=label, at_seconds=at_seconds)
        done()

    def remove(self, number: int, done: Done = _nothing) -> None:
        self._run.remove_mark(number)
        done()

    def put_back(self, mark: RunEvent) -> None:
        self._run.put_back_mark(mark)


class StoredMarks:
    """The marks of a stored run: changed in the library, then in ``data``, of one or of all loads; then ``changed`` is
    called.

    ``failed`` is called with the library's error; nothing is changed then.
    """

    def __init__(
        self,
        data: RunData | LoadsData,
        workbench: Workbench,
        background: Background,
        changed: Callable[[], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._data = data
        self._workbench = workbench
        self._background = background
        self._changed = changed
        self._failed = failed

    def change(self, number: int, label: str | None, at_seconds: float | None, done: Done = _nothing) -> None:
        run_id = self._data.run_id
        self._do(
            lambda library: library.marks.change(run_id, number, label=label, at_seconds=at_seconds),
            self._data.put_event,
            done,
        )

    def remove(self, number: int, done: Done = _nothing) -> None:
        run_id = self._data.run_id
        self._do(
            lambda library: library.marks.remove(run_id, number),
            lambda mark: self._data.remove_event(mark.number),
            done,
        )

    def put_back(self, mark: RunEvent) -> None:
        run_id = self._data.run_id
        self._do(lambda library: library.marks.put(run_id, mark), self._data.put_event)

    def _do(
        self, work: Callable[["Library"], RunEvent], take_over: Callable[[RunEvent], None], done: Done = _nothing
    ) -> None:
        def kept(mark: RunEvent) -> None:
            take_over(mark)
            self._changed()
            done()

        self._background.start(lambda _job: work(self._workbench.library()), done=kept, failed=self._failed)


class MarkEdits(QObject):
    """Changes the marks of ``data`` through ``keeper``; ``undo`` reverts the latest change, one at a time.

    ``done`` is called once a change is stored; from then on it can be undone. ``undoable_changed`` carries the label of
    the mark that ``undo`` would change, empty when there is none.
    """

    undoable_changed = Signal(str)

    def __init__(self, data: RunData, keeper: MarkKeeper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._keeper = keeper
        self._undo: list[tuple[str, Callable[[], None]]] = []

    def added(self, number: int, label: str) -> None:
        """Register a new mark, so that it can be undone."""
        self._note(label, lambda: self._keeper.remove(number))

    def change(self, number: int, label: str | None, at_seconds: float | None, done: Done = _nothing) -> None:
        """Rename or move a mark; raises ``UserError`` for an invalid change."""
        before = self._data.events.get(number)

        def changed() -> None:
            if before is not None:
                self._note(before.label, lambda: self._keeper.change(number, before.label, before.at_seconds))
            done()

        self._keeper.change(number, label, at_seconds, changed)

    def remove(self, number: int, done: Done = _nothing) -> None:
        """Remove a mark; raises ``UserError`` for an event that is not a mark."""
        before = self._data.events.get(number)

        def removed() -> None:
            if before is not None:
                self._note(before.label, lambda: self._keeper.put_back(before))
            done()

        self._keeper.remove(number, removed)

    def undo(self) -> bool:
        """Undo the latest change; returns whether there was one."""
        if not self._undo:
            return False
        _, take_back = self._undo.pop()
        take_back()
        self.undoable_changed.emit(self._undo[-1][0] if self._undo else "")
        return True

    def _note(self, label: str, take_back: Callable[[], None]) -> None:
        self._undo.append((label, take_back))
        self.undoable_changed.emit(label)
