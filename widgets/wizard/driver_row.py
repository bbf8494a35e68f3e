"""The choice of an ODBC driver: the best one installed, or one by name.

Called by the editor of a target. The installed drivers are set from outside.
"""

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from engine.draft.sql_server_draft import on_screen
from engine.draft.target_draft import TargetDraft, kind_of
from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.target.installed_drivers import InstalledDrivers
from engine.target.target import MSSQL
from widgets.parts.form.fields import choice_field
from widgets.parts.form.row import Form

_BEST = "The best installed"


class DriverRow:
    """Adds its row to ``form``; ``show_target`` offers the drivers of the target's kind."""

    def __init__(self, form: Form, parent: QWidget) -> None:
        self._row = form.add("driver", "ODBC driver", field := choice_field(parent), mnemonic="v")
        self.field = field
        self._found: Mapping[str, InstalledDrivers] = {}

    def take_drivers(self, found: Mapping[str, InstalledDrivers]) -> None:
        """The installed drivers, by the kinds of targets."""
        self._found = found

    def show_target(self, target: TargetDraft) -> None:
        is_odbc = kind_of(target.kind).is_odbc
        self._row.set_visible(is_odbc)
        found = self._found.get(target.kind)
        self._offer(found.names if found is not None else (), target.driver)
        if not is_odbc:
            return
        if found is None:
            self._row.set_help("Looking for installed drivers …")
        elif not found.names:
            self._row.set_help(found.hint, is_warning=True)
        elif target.driver and target.driver not in found.names:
            title = kind_of(target.kind).title
            self._row.set_help(f"No driver of this name is installed here for {title}.", is_warning=True)
        else:
            self._show_chosen(target, target.driver or found.names[0])

    def _show_chosen(self, target: TargetDraft, driver: str) -> None:
        """Show which driver is used, or why it can't do what is chosen."""
        try:
            if target.kind == MSSQL:
                target.sql_server.check_driver(driver)
        except BadInput as error:
            self._row.set_help(capitalised(on_screen(str(error))), is_warning=True)
        else:
            self._row.set_help(f"{driver} is used.")

    def _offer(self, names: tuple[str, ...], chosen: str) -> None:
        """Offer the names, including the chosen one when it is not installed."""
        entries = {"": _BEST} | {name: name for name in names}
        if chosen not in entries:
            entries[chosen] = f"{chosen} (not installed)"
        if [self.field.itemData(place) for place in range(self.field.count())] != list(entries):
            self.field.clear()
            for name, title in entries.items():
                self.field.addItem(title, name)
        self.field.setCurrentIndex(self.field.findData(chosen))
