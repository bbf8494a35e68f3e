"""Every dialog and popup of the window, with something to show in it: for the tests of all of them and the pictures."""

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QWidget

from app.desktop import Desktop
from engine.analysis.recovery.settings import RecoverySettings
from engine.report.run_listing import RunListing
from resources import folder_of, read_text
from tests.app.pages import MACHINES
from tests.app.runs import a_run
from widgets.library.bin_page import RemovalQuestion
from widgets.library.configuration_dialog import ConfigurationDialog, Measured
from widgets.library.host_import_dialog import HostImportDialog
from widgets.library.note_dialog import NoteDialog
from widgets.library.references_dialog import ReferencesDialog
from widgets.library.set_dialogs import NewSetDialog, RenameSetDialog
from widgets.library.tag_dialog import TagDialog
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS
from widgets.live.mark_kinds_editor import MarkKindsEditor
from widgets.live.recovery_settings_popup import RecoverySettingsPopup
from widgets.live.stop_popover import StopPopover
from widgets.machines.idle_watts_dialog import IdleWattsDialog
from widgets.machines.machines_dialog import MachinesDialog
from widgets.parts.about_dialog import AboutDialog
from widgets.parts.chart.keys import CHART_KEYS
from widgets.parts.closing_question import run_question, work_question
from widgets.parts.fault_dialog import FaultDialog
from widgets.parts.help_page import HelpPage
from widgets.parts.help_window import HelpTopic, HelpWindow
from widgets.parts.shortcuts_dialog import ShortcutsDialog
from widgets.parts.webhook_dialog import WebhookDialog
from widgets.wizard.replace_question import ReplaceQuestion

_RUNS = [RunListing.of(a_run(minutes_later=minutes, name=f"run {minutes}"), marks=0) for minutes in range(2)]


def dialogs(desktop: Desktop) -> Mapping[str, Callable[[], QWidget]]:
    """What makes each dialog, by a name for it."""
    window, look = desktop.window, desktop.look
    topics = [HelpTopic("live", "Live", read_text("help", "live.md")), HelpTopic("charts", "Charts", "# Charts")]
    facts = [("Version", "0.1.0"), ("Library", "/home/user/.local/share/spindle/library.sqlite")]
    return {
        "about": lambda: AboutDialog(folder_of() / "spindle.svg", "A desktop workbench.", facts, window),
        "closing a run": lambda: run_question(window),
        "closing work": lambda: work_question(["exporting 3 runs"], window),
        "configuration": lambda: ConfigurationDialog(
            Measured(title="It was measured on:", rate=24_433, metric="OPM"), [], None, window
        ),
        "fault": lambda: FaultDialog("Traceback: something", window),
        "contents of help": lambda: HelpWindow(topics, window),
        "help": lambda: HelpPage("Response times", read_text("help", "response-times.md"), window),
        "host import": lambda: HostImportDialog(look, "meter.csv", window),
        "idle watts": lambda: IdleWattsDialog(look, {"server": "", "db1": "it has no meter."}, ["R630"], window),
        "machines": lambda: MachinesDialog(look, MACHINES, window),
        "mark kinds": lambda: MarkKindsEditor(look, DEFAULT_MARK_KINDS, window),
        "note": lambda: NoteDialog(_RUNS[0], window),
        "removal": lambda: RemovalQuestion(3, 4_200_000, window),
        "replacing stores": lambda: ReplaceQuestion(["Store ds2 holds 100MB."], deletes=0, parent=window),
        "recovery settings": lambda: RecoverySettingsPopup(RecoverySettings(), window),
        "references": lambda: ReferencesDialog(window),
        "set": lambda: NewSetDialog([run.run_id for run in _RUNS], "set", (), window),
        "set name": lambda: RenameSetDialog("set", (), window),
        "shortcuts": lambda: ShortcutsDialog({"Charts": CHART_KEYS}, window),
        "stop": lambda: StopPopover(look, window),
        "tags": lambda: TagDialog(_RUNS, ["baseline", "nightly"], window),
        "webhook": lambda: WebhookDialog(look, window, is_kept=True),
    }
