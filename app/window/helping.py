"""Help for the page that is shown, and the table of keyboard shortcuts."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.campaigns.place import CampaignsPlace
from app.library.place import LibraryPlace
from app.live.place import LivePlace
from app.new_run.place import NewRunPlace
from app.window.main_window import MainWindow
from app.window.shortcuts import shortcuts_of
from resources import folder_of, read_text
from widgets.parts.help_window import HelpTopic, HelpWindow
from widgets.parts.shortcuts_dialog import ShortcutsDialog

TOPICS = (
    ("new-run", "New run"),
    ("stores", "Stores: build, replace, reset"),
    ("wholesale", "Wholesale"),
    ("brokerage", "Brokerage"),
    ("mail", "Mail"),
    ("plans", "Plan files"),
    ("live", "Live"),
    ("library", "Library"),
    ("charts", "Charts"),
    ("load", "Load"),
    ("mixed-runs", "Mixed runs"),
    ("storage-runs", "Storage runs"),
    ("response-times", "Response times"),
    ("recovery", "Recovery from a fault"),
    ("faults", "Faults"),
    ("machines", "Machines"),
    ("load-machines", "Load machines"),
    ("audit", "The audit"),
    ("figures", "What the figures mean"),
    ("findings", "Findings about hosts"),
    ("monitoring", "Prometheus and Grafana"),
    ("checks", "Checks and history"),
    ("published-runs", "Runs like the published ones"),
    ("campaigns", "Campaigns"),
    ("command-line", "The command line"),
    ("databases", "Databases"),
    ("sql-server", "Before a serious run on SQL Server"),
    ("storage", "Where things are kept"),
    ("installing", "Installing"),
    ("performance", "How fast, how true"),
    ("glossary", "Glossary"),
    ("file-formats", "File formats"),
    ("architecture", "Architecture"),
    ("adding-a-database", "Adding a database"),
    ("adding-a-workload", "Adding a workload"),
    ("adding-an-injection", "Adding an injection"),
)


class Helping(QObject):
    """Opens one window of each kind, which stays open beside the work."""

    def __init__(
        self,
        window: MainWindow,
        new_run: NewRunPlace,
        live: LivePlace,
        library: LibraryPlace,
        campaigns: CampaignsPlace,
    ) -> None:
        super().__init__(window)
        self._window, self._new_run, self._live, self._library = window, new_run, live, library
        self._places = {
            new_run.widget: "New run",
            live.widget: "Live",
            library.widget: "Library",
            campaigns.widget: "Campaigns",
        }
        self._help: HelpWindow | None = None
        self._shortcuts: ShortcutsDialog | None = None
        window.help_requested.connect(self.show_help)
        window.shortcuts_requested.connect(self.show_shortcuts)

    @property
    def topic(self) -> str:
        """The help page for what is shown."""
        run_page, shown = self._library.run_page, self._window.shown_place
        if shown is self._new_run.widget:
            is_faults = self._new_run.widget.pages[self._new_run.widget.current_page] is self._new_run.widget.faults
            return "faults" if is_faults else "new-run"
        if shown is self._live.widget:
            return "live"
        if self._library.widget.currentWidget() is run_page:
            topics: dict[QWidget, str] = {run_page.times: "response-times", run_page.recovery: "recovery"}
            return topics.get(run_page.tabs.currentWidget(), "library")
        return "library"

    def show_help(self) -> HelpWindow:
        """Show the help page, in the open help window or in a new one."""
        if self._help is None:
            topics = [HelpTopic(name, title, read_text("help", f"{name}.md")) for name, title in TOPICS]
            self._help = HelpWindow(topics, self._window, folder=folder_of("help"))
        self._help.show_topic(self.topic)
        _bring_forward(self._help)
        return self._help

    def show_shortcuts(self) -> ShortcutsDialog:
        """Show all present keyboard shortcuts: those of marks can be changed."""
        if self._shortcuts is not None:
            self._shortcuts.deleteLater()
        self._shortcuts = ShortcutsDialog(shortcuts_of(self._window, self._places), self._window)
        _bring_forward(self._shortcuts)
        return self._shortcuts


def _bring_forward(window: QWidget) -> None:
    window.show()
    window.raise_()
    window.activateWindow()
