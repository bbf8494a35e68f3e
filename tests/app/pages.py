"""Every page of the window by its name, shown as the user comes to it: for the tests and the pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.desktop import Desktop
from app.window.main_window import Place
from engine.analysis.host.idle_watts import IdleWatts
from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.run_data import RunData
from engine.campaign.file import read_campaign_text
from engine.campaign.journal import CampaignState, EntryState
from engine.campaign.units import rounds_of
from engine.draft.plan_draft import PlanDraft
from engine.machines.access import PrometheusAccess, RedfishAccess, SerialMeterAccess, SnmpAccess, SshAccess
from engine.machines.inventory import Inventory, change_inventory
from engine.machines.machine import Machine, Role
from engine.plan.databases import example_target
from engine.workload.registry import DVD_STORE, MAIL, STORAGE
from resources import read_text
from tests.doubles.hosts import read_hosts
from tests.doubles.loads import loads_of
from widgets.library.library_actions import RunAction

WIZARD_PAGES = ("targets", "database", "load", "faults", "review")
RUN_TABS = ("run", "clients", "response times", "recovery", "audit", "host", "history", "plan", "environment", "events")
NAMES = (
    *(f"wizard {page}" for page in WIZARD_PAGES),
    "no run",
    "live",
    "live hosts",
    "library",
    "bin",
    *RUN_TABS,
    "comparison",
    "report",
    "campaign",
    "campaign editor",
)


MACHINES = Inventory(
    (
        Machine(
            name="r630-a",
            roles=(Role.DATABASE_SERVER,),
            accesses=(
                SshAccess(host="r630-a", user="root"),
                RedfishAccess(url="https://r630-a-bmc", user="monitor"),
                PrometheusAccess(url="http://r630-a:9100"),
            ),
        ),
        Machine(
            name="enclosure",
            roles=(Role.STORAGE,),
            accesses=(SnmpAccess(host="pdu-2", oid="1.3.6.1.4.1.318.1.1.26.4.3.1.5.7", factor=10),),
        ),
        Machine(name="analyzer", roles=(Role.POWER_METER,), accesses=(SerialMeterAccess(port="/dev/ttyUSB0"),)),
    )
)


IDLE_WATTS = (
    IdleWatts.of("enclosure", "SNMP", (130.0, 130.0, 140.0), is_average=False),
    IdleWatts.of("r630-a", "Redfish", (181.0, 180.0, 182.0), is_average=True),
)
_THINK_TIMES = "think_time_ms = [0, 20, 100]"
_SWEPT_INSTEAD = {MAIL: "rate_factor = [1, 20, 100]", STORAGE: "queue_depth = [1, 8, 32]"}
MACHINES_DIALOG, IDLE_WATTS_DIALOG = "machines", "idle watts"
DIALOGS = (MACHINES_DIALOG, IDLE_WATTS_DIALOG)


@dataclass
class Pages:
    """The pages of a ``desktop`` whose library holds ``run_ids``, the first of which is opened, and a deleted run.

    ``wait_for`` returns once its condition is true. ``workload`` is that of the wizard's pages.
    """

    desktop: Desktop
    wait_for: Callable[[Callable[[], bool]], None]
    run_ids: Sequence[str]
    live_run: RunData
    host: HostMeasurement
    workload: str = DVD_STORE
    names: tuple[str, ...] = NAMES

    def show(self, name: str) -> QWidget:
        """Show a page and return it; a dialog that was shown before is closed."""
        desktop = self.desktop
        for shown in filter(None, (desktop.machines.dialog, desktop.idle_watts.dialog)):
            shown.reject()
        if name in DIALOGS:
            return self._show_dialog(name)
        kind, _, page = name.partition(" ")
        if kind == "wizard":
            return self._show_wizard(page)
        if kind == "campaign":
            return self._show_campaign(is_editor=page == "editor")
        if kind == "live" or name == "no run":
            desktop.window.show_place(Place.LIVE)
            self._show_live(is_running=kind == "live", are_hosts=page == "hosts")
            return desktop.live.widget
        if name in RUN_TABS:
            self._show_run(name)
            return desktop.library.run_page
        self._show_library()
        if name == "bin":
            self._show_bin()
        elif name == "report":
            self._show_report()
        elif name == "comparison":
            self._show_comparison()
        current = desktop.library.widget.currentWidget()
        assert current is not None
        return current

    def _show_dialog(self, name: str) -> QWidget:
        change_inventory(self.desktop.workbench.places.machines, lambda _: MACHINES)
        return self._show_machines() if name == MACHINES_DIALOG else self._show_idle_watts()

    def _show_machines(self) -> QWidget:
        """The dialog of the machines, with one that was tested."""
        self.desktop.machines.show()
        self.wait_for(lambda: self.desktop.machines.dialog is not None)
        dialog = self.desktop.machines.dialog
        assert dialog is not None
        dialog.machines.setCurrentRow(1)
        dialog.editor.accesses.setCurrentRow(1)
        dialog.editor.findings.clear()
        dialog.add_finding(
            "SSH (root@r630-a): Linux over SSH works: 41 counters every 1 s; disks sda, sdb; interfaces eno1, eno2."
            " Its clock is 0.214 s ahead of this workstation's, within 1.2 ms.",
            ok=True,
        )
        dialog.add_finding(
            "Redfish (https://r630-a-bmc): the certificate of r630-a-bmc is not trusted (self-signed certificate); name"
            f" its authority's file, or trust this one by its SHA-256 fingerprint, {'3f9a' * 16}, if that is the"
            " controller's own.",
            ok=False,
        )
        return dialog

    def _show_idle_watts(self) -> QWidget:
        """The dialog of idle watts, with the published ones measured."""
        self.desktop.idle_watts.show()
        self.wait_for(lambda: self.desktop.idle_watts.dialog is not None)
        dialog = self.desktop.idle_watts.dialog
        assert dialog is not None
        dialog.show_measured(IDLE_WATTS)
        return dialog

    def _show_wizard(self, page: str) -> QWidget:
        self.desktop.window.show_place(Place.NEW_RUN)
        wizard = self.desktop.new_run.widget
        if wizard.draft.workload != self.workload:
            draft = PlanDraft()
            draft.choose_workload(self.workload)
            wizard.put(draft)
        wizard.page_list.setCurrentRow(WIZARD_PAGES.index(page))
        return wizard

    def _show_live(self, *, is_running: bool, are_hosts: bool) -> None:
        live = self.desktop.live.widget
        if not is_running:
            live.show_nothing()
            return
        if are_hosts and not self.live_run.hosts.statuses:
            read_hosts(self.live_run)
        live.show_run(loads_of(self.live_run))
        live.view.refresh_recoveries()
        live.refresh()
        if self.live_run.workstation is not None:
            live.set_workstation(self.live_run.workstation, {})
        live.view.pages.setCurrentIndex(int(are_hosts))
        if are_hosts:
            self.wait_for(lambda: any(not chart.isHidden() for chart in live.hosts.charts.by_group.values()))

    def _show_campaign(self, *, is_editor: bool) -> QWidget:
        self.desktop.window.show_place(Place.CAMPAIGNS)
        page = self.desktop.campaigns.page
        if is_editor:
            page.show_editor()
            self.wait_for(lambda: page.editor.plan is not None)
        else:
            self._add_campaign()
            self.desktop.campaigns.reload()
            self.wait_for(lambda: page.view.tree is not None)
            page.show_list()
        return page

    def _add_campaign(self) -> None:
        """A stopped campaign with the library's runs, once for a home."""
        campaigns = self.desktop.workbench.library().campaigns
        if campaigns.all():
            return
        swept = _SWEPT_INSTEAD.get(self.workload, _THINK_TIMES)
        text = read_text("campaigns", "sweep.toml").replace(_THINK_TIMES, swept)
        target = f'workload = "{self.workload}"\ntargets = ["{example_target(self.workload).url}"]'
        plan = read_campaign_text(text.replace('targets = ["embedded:///ds2"]', target), Path())
        journal = campaigns.begin(plan)
        units = [unit for each in rounds_of(plan, 1) for unit in each.units if unit.is_run]
        for unit, run_id in zip(units, self.run_ids, strict=False):
            entry = journal.begin(unit.path, unit.step.kind, unit.title, {"place": unit.place, "point": unit.point})
            journal.set_run(entry.number, run_id)
            journal.end(entry.number, EntryState.DONE)
        journal.finish(CampaignState.STOPPED, "")

    def _show_library(self) -> None:
        library = self.desktop.library
        self.desktop.window.show_place(Place.LIBRARY)
        library.show_table()
        self.wait_for(lambda: library.page.table.shown == len(self.run_ids))
        self.wait_for(lambda: self.desktop.background.is_idle)  # the preview is read

    def _show_bin(self) -> None:
        library = self.desktop.library
        library.show_bin()
        self.wait_for(lambda: library.bin_page.table.model().rowCount() > 0)

    def _show_run(self, tab: str) -> None:
        library = self.desktop.library
        page = library.run_page
        if library.widget.currentWidget() is not page or not page.isVisible():
            self._show_library()
            library.page.open_requested.emit(self.run_ids[0])
            self.wait_for(lambda: page.run_id == self.run_ids[0])
            self.wait_for(lambda: self.desktop.background.is_idle)
        page.tabs.setCurrentIndex([page.tabs.tabText(place).lower() for place in range(page.tabs.count())].index(tab))
        if tab == "host":
            page.host.show_measurements([self.host])
        self.wait_for(lambda: self.desktop.background.is_idle)  # the history is read when it is looked at

    def _show_report(self) -> None:
        library = self.desktop.library
        library.page.select_runs(self.run_ids)
        library.page.actions_of[RunAction.REPORT].trigger()
        self.wait_for(lambda: self.desktop.background.is_idle)  # one of before may still be shown
        self.wait_for(lambda: library.report_page.document is not None)

    def _show_comparison(self) -> None:
        library = self.desktop.library
        library.page.compare_requested.emit(list(self.run_ids))
        self.wait_for(lambda: library.widget.currentWidget() is library.compare_page)
        self.wait_for(lambda: self.desktop.background.is_idle)
