"""Every dialog and popup of the window, with something to show in it: for the tests of all of them and the pictures."""

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QWidget

from app.desktop import Desktop
from app.diagnostics import installation_facts
from app.licences import CALLED_ONLY, shipped_licences
from engine.analysis.comparing.references import shipped_references
from engine.analysis.headline import headline_of
from engine.analysis.recovery.settings import RecoverySettings
from engine.cluster.report import TITLES
from engine.report.run_listing import RunListing
from engine.workload.registry import DVD_STORE
from resources import folder_of, read_text
from tests.app.pages import MACHINES
from tests.app.runs import a_run
from widgets.lab.lab_view import LabView
from widgets.lab.servers_dialog import PracticeServersDialog
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
from widgets.machines.load_machines_dialog import LoadMachinesDialog, machine_texts
from widgets.machines.machines_dialog import MachinesDialog
from widgets.parts.about_dialog import AboutDialog
from widgets.parts.chart.keys import CHART_KEYS
from widgets.parts.closing_question import run_question, work_question
from widgets.parts.fault_dialog import FaultDialog
from widgets.parts.help_page import HelpPage
from widgets.parts.help_window import HelpTopic, HelpWindow
from widgets.parts.look import Look
from widgets.parts.monitoring_dialog import MonitoringDialog
from widgets.parts.saved_menu import NameDialog
from widgets.parts.shortcuts_dialog import ShortcutsDialog
from widgets.parts.webhook_dialog import WebhookDialog
from widgets.wizard.replace_question import ReplaceQuestion

_RUNS = [RunListing.of(a_run(minutes_later=minutes, name=f"run {minutes}"), faults=0) for minutes in range(2)]


def load_machines_dialog(look: Look, window: QWidget) -> LoadMachinesDialog:
    """Two machines that run, one of which can't drive clients, and one that can't be started."""
    until = "Certificates: controller: valid until 2028-11-25."
    problems = {"load1": "", "load2": "", "meter": "machine is 'meter', which can't be reached by SSH."}
    dialog = LoadMachinesDialog(look, problems, ["load1", "load2"], until, window)
    drivers = "psycopg 3.3.9, MariaDB Unicode, FreeTDS"
    rows = [
        ("load1", "ready", "0.1.0 (846254253884)", "3.11.2", "15.8 of 16 free", "+0.2 ± 0.4 ms", drivers, "yes"),
        ("load2", "ready", "0.1.0 (846254253884)", "3.12.4", "3.9 of 4 free", "+90.004 s ± 0.6 ms", drivers, "yes"),
    ]
    refusal = "Load machine 'load2' has Python 3.12.4, and this machine has 3.11.2; install the same on both."
    dialog.show_machines(machine_texts(TITLES[:-1], rows), [(refusal, False)], until)
    dialog.show_result("1 load machine can't drive clients.", ok=False)
    return dialog


def settings_dialog(desktop: Desktop) -> QWidget:
    """The settings, one of which is wrong."""
    desktop.settings_page.show()
    dialog = desktop.settings_page.dialog
    assert dialog is not None
    dialog.show_wrong("connect-time-out", "Connect time-out is '0'; give seconds from 1 to 300.")
    return dialog


def _about(look: Look, window: QWidget) -> AboutDialog:
    facts = [*installation_facts(), ("Library", "/home/user/.local/share/spindle/library.sqlite: revision 0013, 4 MB")]
    rows = [(each.package, each.version, each.licence) for each in shipped_licences()]
    dialog = AboutDialog(look, folder_of() / "spindle.svg", "A workbench.", facts, rows, CALLED_ONLY, window)
    dialog.show_copied()
    return dialog


def _practice_servers(look: Look, window: QWidget) -> PracticeServersDialog:
    """A pair of which the standby is one second behind."""
    dialog = PracticeServersDialog(look, window)
    dialog.show_view(
        LabView(
            is_running=True,
            headline="Running since 11:06:31",
            facts=(("Version", "PostgreSQL 18.6"), ("Connected", "16 users")),
            nodes=(
                ("node1", "primary", "running", "–", "normal", "11:06:31", "–"),
                ("node2", "standby", "running", "synchronous", "normal", "11:06:32", "1.2 MB"),
            ),
            shape="pair",
            users=16,
        )
    )
    dialog.log.show_text("2026-11-21 14:05:09.120 UTC [412] LOG:  database system is ready to accept connections\n")
    return dialog


def _references(window: QWidget) -> ReferencesDialog:
    dialog = ReferencesDialog(window)
    dialog.show_references(shipped_references())
    return dialog


def dialogs(desktop: Desktop) -> Mapping[str, Callable[[], QWidget]]:
    """What makes each dialog, by a name for it."""
    window, look = desktop.window, desktop.look
    topics = [HelpTopic("live", "Live", read_text("help", "live.md")), HelpTopic("charts", "Charts", "# Charts")]
    return {
        "about": lambda: _about(look, window),
        "closing a run": lambda: run_question(window),
        "closing work": lambda: work_question(["exporting 3 runs"], window),
        "configuration": lambda: ConfigurationDialog(
            Measured(title="It was measured on:", rate=24_433, headline=headline_of(DVD_STORE)), [], None, window
        ),
        "fault": lambda: FaultDialog("Traceback: something", window),
        "contents of help": lambda: HelpWindow(topics, window),
        "help": lambda: HelpPage("Response times", read_text("help", "response-times.md"), window),
        "host import": lambda: HostImportDialog(look, "meter.csv", window),
        "monitoring": lambda: MonitoringDialog(look, "9464", "http://grafana.lab:3000", window),
        "name": lambda: NameDialog(
            "Save preset", "R630, 20 ms", ["R630, 20 ms"], look, replaces=["R630, 20 ms"], parent=window
        ),
        "practice servers": lambda: _practice_servers(look, window),
        "idle watts": lambda: IdleWattsDialog(look, {"server": "", "db1": "it has no meter."}, ["R630"], window),
        "load machines": lambda: load_machines_dialog(look, window),
        "machines": lambda: MachinesDialog(look, MACHINES, window),
        "mark kinds": lambda: MarkKindsEditor(look, DEFAULT_MARK_KINDS, window),
        "note": lambda: NoteDialog(_RUNS[0], window),
        "removal": lambda: RemovalQuestion(3, 4_200_000, window),
        "replacing stores": lambda: ReplaceQuestion(["Store ds2 holds 100MB."], deletes=0, parent=window),
        "recovery settings": lambda: RecoverySettingsPopup(RecoverySettings(), window),
        "references": lambda: _references(window),
        "set": lambda: NewSetDialog([run.run_id for run in _RUNS], "set", (), look, window),
        "set name": lambda: RenameSetDialog("set", (), look, window),
        "settings": lambda: settings_dialog(desktop),
        "shortcuts": lambda: ShortcutsDialog({"Charts": CHART_KEYS}, window),
        "stop": lambda: StopPopover(look, window),
        "tags": lambda: TagDialog(_RUNS, ["baseline", "nightly"], window),
        "webhook": lambda: WebhookDialog(look, window, is_kept=True),
    }
