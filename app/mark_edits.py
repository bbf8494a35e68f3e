"""What the user does to the marks of the run on the screen, and the undoing of it.

A run that goes on keeps its marks itself; those of a kept run are in the library.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from app.background import Background, Job
from app.workbench import Workbench
from engine.analysis.run_data import RunData
from engine.sample import RunEvent

if TYPE_CHECKING:
    from engine.driver.run import Run


class MarkKeeper(Protocol):
    """Where the marks of one run are kept; every method returns at once."""

    def change(self, number: int, label: str | None, at_seconds: float | None) -> None: ...

    def remove(self, number: int) -> None: ...

    def put_back(self, mark: RunEvent) -> None: ...


class RunMarks:
    """The marks of a run that goes on; its news bring every change to the screen."""

    def __init__(self, run: "Run") -> None:
        self._run = run

    def change(self, number: int, label: str | None, at_seconds: float | None) -> None:
        self._run.change_mark(number, label=label, at_seconds=at_seconds)

    def remove(self, number: int) -> None:
        self._run.remove_mark(number)

    def put_back(self, mark: RunEvent) -> None:
        self._run.put_back_mark(mark)


class KeptMarks:
    """The marks of a kept run: changed in the library, then in ``data``, of which ``changed`` is told."""

    def __init__(
        self, data: RunData, workbench: Workbench, background: Background, changed: Callable[[], None]
    ) -> None:
        self._data = data
        self._workbench = workbench
        self._background = background
        self._changed = changed

    def change(self, number: int, label: str | None, at_seconds: float | None) -> None:
        def work(_job: Job[RunEvent]) -> RunEvent:
            library = self._workbench.library()
            return library.change_mark(self._data.run_id, number, label=label, at_seconds=at_seconds)

        self._background.start(work, done=self._put)

    def remove(self, number: int) -> None:
        self._background.start(
            lambda _job: self._workbench.library().remove_mark(self._data.run_id, number), done=self._take
        )

    def put_back(self, mark: RunEvent) -> None:
        self._background.start(
            lambda _job: self._workbench.library().put_back_mark(self._data.run_id, mark), done=self._put
        )

    def _put(self, mark: RunEvent) -> None:
        self._data.put_event(mark)
        self._changed()

    def _take(self, mark: RunEvent) -> None:
        self._data.remove_event(mark.number)
        self._changed()


class MarkEdits(QObject):
    """Changes the marks of ``data`` through ``keeper``; ``undo`` takes the newest change back, one at a time.

    ``undoable_changed`` tells the label of the mark that ``undo`` would be about, empty when there is nothing left.
    """

    undoable_changed = Signal(str)

    def __init__(self, data: RunData, keeper: MarkKeeper, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data = data
        self._keeper = keeper
        self._undo: list[tuple[str, Callable[[], None]]] = []

    def added(self, number: int, label: str) -> None:
        """Note a mark that was set, so that it can be taken back."""
        self._note(label, lambda: self._keeper.remove(number))

    def change(self, number: int, label: str | None, at_seconds: float | None) -> None:
        """Rename a mark or move it; raises ``UserError`` for what can't be."""
        before = self._data.events.get(number)
        self._keeper.change(number, label, at_seconds)
        if before is not None:
            self._note(before.label, lambda: self._keeper.change(number, before.label, before.at_seconds))

    def remove(self, number: int) -> None:
        """Take a mark out; raises ``UserError`` for what is no mark."""
        before = self._data.events.get(number)
        self._keeper.remove(number)
        if before is not None:
            self._note(before.label, lambda: self._keeper.put_back(before))

    def undo(self) -> bool:
        """Take the newest change back; whether there was one."""
        if not self._undo:
            return False
        _, take_back = self._undo.pop()
        take_back()
        self.undoable_changed.emit(self._undo[-1][0] if self._undo else "")
        return True

    def _note(self, label: str, take_back: Callable[[], None]) -> None:
        self._undo.append((label, take_back))
        self.undoable_changed.emit(label)
