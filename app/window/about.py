"""The About dialog, whose versions and licences are read in the background, and the diagnostics copied from it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, qVersion
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

from app.services import Services
from app.window.theme import Themer
from resources import folder_of
from widgets.parts.about_dialog import AboutDialog
from widgets.parts.look import Look

if TYPE_CHECKING:
    from app.diagnostics import Facts
    from app.licences import Licence

_ABOUT = (
    "A desktop workbench for OLTP benchmarks: it drives order and trade workloads against databases, mail servers and"
    " storage, shows what their users see through a failover, and keeps every run. MIT licence."
)
_LEFT_OUT = ("Processors", "Memory", "Language", "Home", "Embedded server")
"""What is in the diagnostics alone."""


class About(QObject):
    """``dialog`` is the open one."""

    def __init__(self, look: Look, themer: Themer, services: Services, window: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._look, self._themer, self._services, self._window = look, themer, services, window
        self.dialog: AboutDialog | None = None

    def show(self) -> None:
        """Open the dialog once its facts are read."""
        self._services.background.start(
            lambda _job: self._read(), done=self._on_read, failed=self._services.messages.show_error
        )

    def _read(self) -> "tuple[Facts, list[Licence]]":
        from app.diagnostics import home_facts, installation_facts  # which the window does not need at its start
        from app.licences import shipped_licences

        return (*installation_facts(), *home_facts(self._services.workbench.places)), shipped_licences()

    def _on_read(self, read: "tuple[Facts, list[Licence]]") -> None:
        from app.licences import CALLED_ONLY

        facts, licences = read
        if self.dialog is not None:
            return
        shown = [("Qt", qVersion()), *(each for each in facts if each[0] not in _LEFT_OUT)]
        rows = [(each.package, each.version, each.licence) for each in licences]
        picture = folder_of() / "spindle.svg"
        dialog = AboutDialog(self._look, picture, _ABOUT, shown, rows, CALLED_ONLY, self._window)
        dialog.diagnostics_requested.connect(self._on_diagnostics)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()

    def _on_diagnostics(self) -> None:
        from app.diagnostics import diagnostics

        workbench, window = self._services.workbench, self._window_facts()
        self._services.background.start(
            lambda _job: diagnostics(workbench.places, window=window, secrets=workbench.secrets()),
            done=self._on_diagnosed,
            failed=self._on_failed,
        )

    def _window_facts(self) -> "Facts":
        theme = f"{self._themer.theme}, shown {'dark' if self._look.is_dark else 'light'}"
        font = self._window.font()
        size = f"{font.pointSizeF():g} pt" if font.pointSizeF() > 0 else f"{font.pixelSize()} px"
        return (
            ("Qt", f"{qVersion()}, {QGuiApplication.platformName()}"),
            ("Window", f"{self._window.width()} × {self._window.height()}; theme: {theme}"),
            ("Font", f"{font.family()}, {size}"),
            *(("Screen", _screen_text(screen)) for screen in QGuiApplication.screens()),
        )

    def _on_diagnosed(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        if self.dialog is not None:
            self.dialog.show_copied()

    def _on_failed(self, error: BaseException) -> None:
        if self.dialog is not None:
            self.dialog.show_failed(self._services.messages.sentence_of(error))

    def _on_closed(self) -> None:
        self.dialog = None


def _screen_text(screen: QScreen) -> str:
    size, room = screen.size(), screen.availableSize()
    return (
        f"{size.width()} × {size.height()}, {room.width()} × {room.height()} of it available, scale"
        f" {screen.devicePixelRatio():g}, {screen.logicalDotsPerInch():.0f} dpi, {screen.refreshRate():.0f} Hz"
    )
