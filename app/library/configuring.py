"""Configurations in the window: asked for, saved, and assigned to runs and sets, in the background."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.cli.input_text import read_utf8
from app.services import Services
from app.window.file_questions import Purpose
from engine.analysis.comparing.configuration import Configuration, read_configuration, read_items
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from widgets.library.configuration_dialog import ConfigurationDialog, Measured
from widgets.parts.message_bar import Severity

if TYPE_CHECKING:
    from engine.library.library import Library

_BILLS = "Tables (*.csv *.txt);;All files (*)"


class Configuring(QObject):
    """``changed``: the configurations of runs or sets have changed."""

    changed = Signal()

    def __init__(self, window: QWidget, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._window = window
        self._dialog: ConfigurationDialog | None = None

    def ask_for_set(self, run_set: SetListing, runs: list[RunListing]) -> None:
        """Ask what a set was measured on; ``runs`` are all of the library."""
        median = next((run for run in runs if run.run_id == run_set.median_id), None)
        self._ask(
            Measured(
                title=f"Set “{run_set.name}” was measured on:",
                run_set=run_set.name,
                rate=None if median is None else median.headline_rate,
                headline=None if median is None else median.headline,
            )
        )

    def ask_for_runs(self, runs: list[RunListing]) -> None:
        """Ask what runs were measured on."""
        one = runs[0] if len(runs) == 1 else None
        whose = f"{len(runs)} runs were" if one is None else f"“{one.name or one.run_id}” was"
        self._ask(
            Measured(
                title=f"{whose} measured on:",
                run_ids=tuple(run.run_id for run in runs),
                rate=None if one is None else one.headline_rate,
                headline=None if one is None else one.headline,
            )
        )

    def manage(self) -> None:
        """Show the configurations, independently of runs."""

        def open_first(configurations: list[Configuration]) -> None:
            first = configurations[0].name if configurations else ""
            measured = Measured(
                title="What runs and sets are measured on, to be changed or added:", configuration=first
            )
            self._open(measured, configurations, None)

        self._services.background.start(
            lambda _job: self._services.workbench.library().configurations.all(), done=open_first
        )

    def propose(self, path: Path) -> None:
        """Show the configuration or bill of a file, to be saved."""
        measured = Measured(title=f"The configuration in {path.name}, to be saved for runs and sets:")
        self._services.background.start(
            lambda _job: (measured, self._services.workbench.library().configurations.all(), _read(path)),
            done=lambda found: self._open(*found),
        )

    def _ask(self, measured: Measured) -> None:
        self._services.background.start(
            lambda _job: (*_now(self._services.workbench.library(), measured), None),
            done=lambda found: self._open(*found),
        )

    def _open(self, measured: Measured, configurations: list[Configuration], proposed: Configuration | None) -> None:
        dialog = ConfigurationDialog(measured, configurations, proposed, self._window)
        dialog.save_requested.connect(self._on_save)
        dialog.delete_requested.connect(self._on_delete)
        dialog.items_file_requested.connect(self._on_items)
        dialog.finished.connect(self._on_closed)
        self._dialog = dialog
        dialog.open()

    def _on_closed(self) -> None:
        self._dialog = None

    def _on_items(self) -> None:
        def read(paths: list[Path]) -> None:
            self._services.background.start(lambda _job: _read(paths[0]), done=self._put_items)

        self._services.files.ask_open("Bill of materials", _BILLS, read, purpose=Purpose.BILLS)

    def _put_items(self, read: Configuration) -> None:
        if self._dialog is not None:
            self._dialog.set_items(read)

    def _on_save(self, measured: Measured, configuration: Configuration | None) -> None:
        def done(_result: object) -> None:
            self.changed.emit()
            if configuration is not None:
                self._services.messages.show(f"Configuration “{configuration.name}” was saved.", Severity.SUCCESS)

        self._services.background.start(
            lambda _job: _save(self._services.workbench.library(), measured, configuration), done=done
        )

    def _on_delete(self, name: str) -> None:
        def done(_result: object) -> None:
            self._services.messages.show(f"Configuration “{name}” was deleted.", Severity.SUCCESS)

        self._services.background.start(
            lambda _job: self._services.workbench.library().configurations.delete(name), done=done
        )


def _now(library: "Library", measured: Measured) -> tuple[Measured, list[Configuration]]:
    """The target with its present configuration, and all configurations. Raises ``UserError``."""
    if measured.run_set:
        now = library.sets.get(measured.run_set).configuration
    else:
        found = library.configurations.of_run(measured.run_ids[0])
        now = "" if found is None else found.name
    return replace(measured, configuration=now), library.configurations.all()


def _save(library: "Library", measured: Measured, configuration: Configuration | None) -> None:
    """Save a configuration, and assign it to what was measured on it. Raises ``UserError``."""
    name = "" if configuration is None else library.configurations.save(configuration).name
    if measured.run_set:
        library.sets.set_configuration(measured.run_set, name)
    elif measured.run_ids:
        library.configurations.point_runs(measured.run_ids, name)


def _read(path: Path) -> Configuration:
    """The configuration in a TOML file, or one with the items of a table. Raises ``BadInput``."""
    text = read_utf8(path)
    if path.suffix.lower() == ".toml":
        return read_configuration(text, path.name, name="")
    return Configuration(name=path.stem, items=read_items(text, path.name))
