"""Connects the dialog of the machines with the inventory's file, the keyring, and the machines themselves.

Everything that waits runs in the background.
"""

import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.background import Job
from app.remedy_text import window_text
from app.services import Services
from engine.errors import Cancelled, UserError
from engine.figure_text import capitalised
from engine.machines.inventory import Inventory, change_inventory, read_inventory
from engine.machines.machine import Machine
from engine.secrets import Secret, keep_secret
from widgets.machines.machines_dialog import MachinesDialog
from widgets.parts.look import Look


class Machines(QObject):
    """Created once; ``show`` opens the dialog over ``window``. ``known`` carries the ``Inventory`` whenever it was read
    or saved."""

    known = Signal(object)

    def __init__(self, look: Look, services: Services, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self._services = services
        self._window = window
        self._read = Inventory()
        self._stop_test = threading.Event()
        self.dialog: MachinesDialog | None = None

    @property
    def _path(self) -> Path:
        return self._services.workbench.places.machines

    def read(self) -> None:
        """Read the inventory, for those who offer its machines."""
        self._services.background.start(lambda _job: read_inventory(self._path), done=self.known.emit)

    def show(self) -> None:
        """Read the inventory, and open the dialog."""
        if self.dialog is None:
            self._services.background.start(lambda _job: read_inventory(self._path), done=self._open)

    def _open(self, inventory: Inventory) -> None:
        if self.dialog is not None:
            return
        self._read = inventory
        self.known.emit(inventory)
        self.dialog = dialog = MachinesDialog(self._look, inventory, self._window)
        dialog.test_requested.connect(self._on_test)
        dialog.test_left.connect(self._on_test_left)
        dialog.save_requested.connect(self._on_save)
        dialog.finished.connect(self._on_closed)
        dialog.open()

    def _on_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _on_test(self, machine: Machine, typed: Mapping[str, Secret]) -> None:
        self._stop_test = stop = threading.Event()
        workbench, background = self._services.workbench, self._services.background

        def find(name: str) -> Secret | None:
            return typed.get(name) or workbench.targets().secret(name)

        def work(job: Job[None]) -> None:
            from engine.collect.checking import check_machine

            for report in check_machine(machine, find, stop):
                if job.cancelled():
                    raise Cancelled
                background.post(partial(self._show_finding, stop, report.sentence, ok=report.works))

        background.start(
            work, done=lambda _: self._on_tested(stop), failed=lambda error: self._on_test_failed(stop, error)
        )

    def _show_finding(self, stop: threading.Event, sentence: str, *, ok: bool) -> None:
        if self.dialog is not None and not stop.is_set():
            self.dialog.add_finding(capitalised(sentence), ok=ok)

    def _on_tested(self, stop: threading.Event) -> None:
        if self.dialog is not None and stop is self._stop_test:
            self.dialog.end_test()

    def _on_test_failed(self, stop: threading.Event, error: BaseException) -> None:
        if isinstance(error, UserError):
            self._show_finding(stop, window_text(error), ok=False)
        else:
            self._services.messages.show_error(error)
        self._on_tested(stop)

    def _on_test_left(self) -> None:
        self._stop_test.set()

    def _on_save(self, inventory: Inventory, typed: Mapping[str, Secret]) -> None:
        read, path = self._read, self._path

        def changed(found: Inventory) -> Inventory:
            if found != read:
                raise UserError(
                    "the machines were changed by another program meanwhile; close this, and open it again."
                )
            return inventory

        def work(_job: Job[str]) -> str:
            change_inventory(path, changed)
            return _kept(typed)

        def saved(problem: str) -> None:
            self.known.emit(inventory)
            self._on_saved(problem)

        self._services.workbench.remember(typed)
        self._services.background.start(work, done=saved, failed=self._on_not_saved)

    def _on_saved(self, problem: str) -> None:
        if self.dialog is not None:
            self.dialog.done(MachinesDialog.DialogCode.Accepted)
        if problem:
            self._services.messages.show_warning(problem)

    def _on_not_saved(self, error: BaseException) -> None:
        if self.dialog is not None and isinstance(error, UserError):
            self.dialog.show_failure(capitalised(str(error)))
        else:
            self._services.messages.show_error(error)


def _kept(typed: Mapping[str, Secret]) -> str:
    """Put passwords into the keyring; what is to be said when that can't be done."""
    try:
        for name, secret in typed.items():
            keep_secret(name, secret)
    except UserError:
        return "This system's keyring can't be used; the passwords are used until the window is closed."
    return ""
