"""Handles the library page's requests about run sets, in the background; dissolving a set can be undone."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import Services
from engine.analysis.comparing.run_set import RunSet
from widgets.library.set_button import SetButton
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.library.run_sets import RunSets


class SetEdits(QObject):
    """``changed``: the library's sets have changed."""

    changed = Signal()

    def __init__(self, button: SetButton, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        button.create_requested.connect(self._on_make)
        button.add_requested.connect(self._on_add)
        button.remove_requested.connect(self._on_take_out)
        button.rename_requested.connect(self._on_rename)
        button.dissolve_requested.connect(self._on_dissolve)

    def _change(self, work: "Callable[[RunSets], RunSet]", done: Callable[[RunSet], None]) -> None:
        def changed(run_set: RunSet) -> None:
            self.changed.emit()
            done(run_set)

        self._services.background.start(lambda _job: work(self._services.workbench.library().sets), done=changed)

    def _say(self, run_set: RunSet) -> None:
        count = len(run_set.run_ids)
        self._services.messages.show(
            f"Set “{run_set.name}” holds {count} run{'' if count == 1 else 's'}.", Severity.SUCCESS
        )

    def _on_make(self, name: str, run_ids: list[str]) -> None:
        self._change(lambda sets: sets.make(name, run_ids), self._say)

    def _on_add(self, name: str, run_ids: list[str]) -> None:
        self._change(lambda sets: sets.add(name, run_ids), self._say)

    def _on_take_out(self, name: str, run_ids: list[str]) -> None:
        def offer_undo(run_set: RunSet) -> None:
            count = len(run_ids)
            self._services.messages.offer(
                f"{count} run{'' if count == 1 else 's'} removed from set “{run_set.name}”.",
                "Undo",
                lambda: self._on_add(name, run_ids),
            )

        self._change(lambda sets: sets.remove(name, run_ids), offer_undo)

    def _on_rename(self, name: str, new_name: str) -> None:
        self._change(lambda sets: sets.rename(name, new_name), lambda _: None)

    def _on_dissolve(self, name: str) -> None:
        def offer_undo(deleted: RunSet) -> None:
            self._services.messages.offer(
                f"Set “{deleted.name}” was deleted; its runs are kept.", "Undo", lambda: self._restore(deleted)
            )

        self._change(lambda sets: sets.delete(name), offer_undo)

    def _restore(self, deleted: RunSet) -> None:
        self._change(
            lambda sets: sets.make(
                deleted.name, deleted.run_ids, note=deleted.note, configuration=deleted.configuration
            ),
            self._say,
        )
