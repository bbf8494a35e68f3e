"""Edits of runs in the library's table: done in the background, one after the other, with undo and redo."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.library import jobs as library_jobs
from app.library.jobs import Outcome
from app.services import Services
from engine.figure_text import counted
from widgets.library.library_page import LibraryPage
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.library.library import Library
    from engine.record.record import RunRecord

_Work = Callable[["Library"], Outcome]
_Move = Callable[["Library", Sequence[str]], Outcome]
_Result = TypeVar("_Result")


@dataclass(frozen=True, eq=False)
class _Edit:
    """An edit, and the functions that undo and redo it."""

    what: str
    undo: _Work
    redo: _Work


class LibraryEdits(QObject):
    """Handles the requests of ``page`` to delete, rename, tag and annotate runs, and those of the bin to restore them.

    ``changed``: the library was changed, ``restored`` with the ids of runs: they are not deleted any more. ``refused``:
    it was not changed, and what a page shows may be wrong.
    """

    changed = Signal()
    restored = Signal(list)
    refused = Signal()

    def __init__(self, page: LibraryPage, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._done: list[_Edit] = []
        self._undone: list[_Edit] = []
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_busy = False
        self.undo_action = self._action("Undo", QKeySequence.StandardKey.Undo, self.undo)
        self.redo_action = self._action("Redo", QKeySequence.StandardKey.Redo, self.redo)
        self.work_on(page)
        page.add_to_menu((self.undo_action, self.redo_action))
        page.delete_requested.connect(self.delete)
        page.rename_requested.connect(self.rename)
        page.note_requested.connect(self.set_note)
        page.tags_requested.connect(self.change_tags)
        self._show_actions()

    def work_on(self, widget: QWidget) -> None:
        """Enable the Undo and Redo keys in a widget and its children."""
        widget.addActions((self.undo_action, self.redo_action))

    def delete(self, run_ids: Sequence[str]) -> None:
        """Move runs to the bin."""

        def done(edit: _Edit, count: str) -> None:
            self._services.messages.offer(f"{count} deleted.", "Undo", lambda: self._enqueue(lambda: self._undo(edit)))

        self._move("deletion", run_ids, library_jobs.delete_runs, library_jobs.restore_runs, done)

    def restore(self, run_ids: Sequence[str]) -> None:
        """Restore runs from the bin."""

        def done(_edit: _Edit, count: str) -> None:
            self._services.messages.show(f"{count} restored.", Severity.SUCCESS)

        self._move("restoring", run_ids, library_jobs.restore_runs, library_jobs.delete_runs, done)

    def rename(self, run_id: str, name: str) -> None:
        """Rename a run."""
        self._replace("renaming", run_id, name, attrgetter("name"), lambda library: library.rename)

    def set_note(self, run_id: str, note: str) -> None:
        """Replace a run's note."""
        self._replace("change of the note", run_id, note, attrgetter("note"), lambda library: library.set_note)

    def change_tags(self, run_ids: Sequence[str], added: Sequence[str], removed: Sequence[str]) -> None:
        """Add tags to runs and remove others."""

        def change(library: "Library") -> Outcome:
            for run_id in run_ids:
                library.add_tags(run_id, added)
                library.remove_tags(run_id, removed)
            return Outcome(tuple(run_ids))

        def work(library: "Library") -> tuple[Outcome, _Edit]:
            before = {run_id: library.run(run_id).tags for run_id in run_ids}

            def put_back(library: "Library") -> Outcome:
                for run_id, tags in before.items():
                    library.remove_tags(run_id, library.run(run_id).tags)
                    library.add_tags(run_id, tags)
                return Outcome(tuple(run_ids))

            return change(library), _Edit("change of tags", undo=put_back, redo=change)

        self._do(work)

    def _move(
        self, what: str, run_ids: Sequence[str], there: _Move, back: _Move, report: Callable[[_Edit, str], None]
    ) -> None:
        """Move runs to the bin or out of it; ``report`` gets their number, when none was refused."""

        def work(library: "Library") -> tuple[Outcome, _Edit]:
            outcome = there(library, run_ids)
            return outcome, _Edit(
                f"{what} of {counted(len(outcome.run_ids), 'run')}",
                undo=lambda library: back(library, outcome.run_ids),
                redo=lambda library: there(library, outcome.run_ids),
            )

        def done(edit: _Edit, outcome: Outcome) -> None:
            if outcome.run_ids and not outcome.refusals:
                report(edit, counted(len(outcome.run_ids), "run"))

        self._do(work, done)

    def _replace(
        self,
        what: str,
        run_id: str,
        value: str,
        read: "Callable[[RunRecord], str]",
        setter: "Callable[[Library], Callable[[str, str], None]]",
    ) -> None:
        """Replace a text of a run's record."""

        def put(library: "Library", value: str) -> Outcome:
            setter(library)(run_id, value)
            return Outcome((run_id,))

        def work(library: "Library") -> tuple[Outcome, _Edit]:
            before = read(library.run(run_id))
            return put(library, value), _Edit(
                what, undo=lambda library: put(library, before), redo=lambda library: put(library, value)
            )

        self._do(work)

    def undo(self) -> None:
        """Undo the latest edit, after edits in progress are done."""
        self._enqueue(lambda: self._undo(self._done[-1]) if self._done else self._next())

    def redo(self) -> None:
        """Redo the edit that was undone last."""
        self._enqueue(lambda: self._redo(self._undone[-1]) if self._undone else self._next())

    def forget(self) -> None:
        """Clear the history: the runs may have been removed permanently."""
        self._done.clear()
        self._undone.clear()
        self._show_actions()

    def _do(
        self,
        work: "Callable[[Library], tuple[Outcome, _Edit]]",
        report: Callable[[_Edit, Outcome], None] = lambda _edit, _outcome: None,
    ) -> None:
        def done(result: tuple[Outcome, _Edit]) -> None:
            outcome, edit = result
            if outcome.run_ids:
                self._done.append(edit)
                self._undone.clear()
            report(edit, outcome)
            self._finish(outcome)

        self._enqueue(lambda: self._start(work, done))

    def _undo(self, edit: _Edit) -> None:
        if edit not in self._done:
            self._next()  # this edit was undone before
            return

        def done(outcome: Outcome) -> None:
            if edit in self._done:  # otherwise it was forgotten meanwhile
                self._done.remove(edit)
                self._undone.append(edit)
            self._say_done(outcome, f"Undone: {edit.what}.")

        self._start(edit.undo, done)

    def _redo(self, edit: _Edit) -> None:
        def done(outcome: Outcome) -> None:
            if edit in self._undone:
                self._undone.remove(edit)
                self._done.append(edit)
            self._say_done(outcome, f"Redone: {edit.what}.")

        self._start(edit.redo, done)

    def _say_done(self, outcome: Outcome, sentence: str) -> None:
        if not outcome.refusals:
            self._services.messages.show(sentence)
        self._finish(outcome)

    def _enqueue(self, step: Callable[[], None]) -> None:
        """Run a step after those before it, in the order in which they were requested."""
        self._waiting.append(step)
        if not self._is_busy:
            self._next()

    def _next(self) -> None:
        self._is_busy = bool(self._waiting)
        self._show_actions()
        if self._waiting:
            self._waiting.popleft()()

    def _start(self, work: "Callable[[Library], _Result]", done: Callable[[_Result], None]) -> None:
        self._services.background.start(
            lambda _job: work(self._services.workbench.library()), done=done, failed=self._on_failed
        )

    def _finish(self, outcome: Outcome) -> None:
        if outcome.refusals:
            self._services.messages.show(" ".join(outcome.refusals), Severity.ERROR)
        if outcome.are_restored and outcome.run_ids:
            self.restored.emit(list(outcome.run_ids))
        self.changed.emit()
        self._next()

    def _on_failed(self, error: BaseException) -> None:
        self._services.messages.show_error(error)
        self.refused.emit()
        self._next()

    def _action(self, text: str, keys: QKeySequence.StandardKey, slot: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.setShortcuts(QKeySequence.keyBindings(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(slot)
        return action

    def _show_actions(self) -> None:
        for action, edits, verb in (
            (self.undo_action, self._done, "Undo"),
            (self.redo_action, self._undone, "Redo"),
        ):
            action.setText(f"{verb} {edits[-1].what}" if edits else verb)
            action.setEnabled(bool(edits) or self._is_busy)  # the edit in progress may be the one to undo
