"""States of pages that only pictures show: before, in and after a fault, a filled wizard, an audit with losses, a
staircase, an empty library, a campaign in progress."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker

from engine.analysis.headline import headline_of
from engine.analysis.loads_data import LoadsData
from engine.analysis.run_data import RunData
from engine.audit.report import AuditReport, Consistency
from engine.campaign.journal import CampaignState
from engine.draft.injection_draft import InjectionDraft
from engine.plan.databases import example_target
from engine.plan.load.stage import Stage
from engine.plan.plan import RunPlan
from engine.record.record import RunState
from engine.record.totals import NO_TOTALS, ResponseTimes, StageTotals
from engine.workload.registry import BROKERAGE, DVD_STORE, MAIL, STORAGE, WHOLESALE
from engine.workloads.brokerage.conditions import CONDITIONS as BROKERAGE_CONDITIONS
from engine.workloads.wholesale.conditions import CONDITIONS as WHOLESALE_CONDITIONS
from tests.app.pages import WIZARD_PAGES, Pages
from tests.doubles.loads import loads_of
from tests.pictures.measured_runs import a_record, a_running_run, measure
from tests.widgets.library.test_audit_tables import REPORT
from widgets.parts.message_bar import Severity
from widgets.parts.shapes import Shape

_BEFORE_SECONDS, _FAULT_SECONDS, _AFTER_SECONDS, _ALL_SECONDS = 140, 153, 205, 330
_MANY_CLIENTS = 24
_TOPIC = "picture"
_CHECKS = {
    WHOLESALE: [each.title for each in WHOLESALE_CONDITIONS],
    BROKERAGE: [each.title for each in BROKERAGE_CONDITIONS],
    MAIL: ["copies of messages that were delivered twice"],
}
_PLANNED = RunPlan.from_dict(
    {
        "name": "R630 SSD, staircase",
        "targets": ["mssql://sa@r630-a:1433/ds2", "mssql://sa@r630-b:1433/ds2"],
        "databases": 4,
        "threads": 32,
        "think_time_ms": 20,
        "warmup_minutes": 5,
        "minutes": 30,
        "db_size": "40GB",
        "tags": ["nightly", "r630"],
        "faults": [
            "T+5m mark Enclosure pulled",
            "T+10m sql 'ALTER DATABASE ds2 SET OFFLINE' on host1",
            "T+20m mark Restored",
        ],
    }
)
_MIXED = RunPlan.from_dict(
    {
        "name": "Database and mail",
        "targets": ["postgresql://me@db1/ds2"],
        "threads": 32,
        "minutes": 5,
        "load": [
            {
                "workload": "mail",
                "targets": ["mail://user@mx1.lab/example1.org"],
                "threads": 32,
                "parameters": {"mailboxes": 500},
            }
        ],
    }
)


def states(pages: Pages) -> Mapping[str, Callable[[], None]]:
    """What shows each of the states in the window, by a name for it."""
    shown = {
        "live before a fault": lambda: _show_run(pages, _running(pages.workload, _BEFORE_SECONDS)),
        "live in a fault": lambda: _show_run(pages, _running(pages.workload, _FAULT_SECONDS)),
        "live ended": lambda: _show_run(pages, _ended(pages.workload, RunState.COMPLETED)),
        "live interrupted": lambda: _show_run(pages, _ended(pages.workload, RunState.INTERRUPTED)),
        "live arming": lambda: _show_arming(pages),
        "live preparing": lambda: _show_preparing(pages),
        "audit lost": lambda: _show_audit(pages),
        "campaign journal": lambda: _show_journal(pages),
        "messages": lambda: _show_messages(pages),
        "library empty": lambda: _show_empty_library(pages),
        "library without a match": lambda: _show_no_match(pages),
        "campaign running": lambda: _show_running_campaign(pages),
    }
    if headline_of(pages.workload).has_users:
        shown["stages"] = lambda: _show_stages(pages)
    if pages.workload == DVD_STORE:
        shown |= {
            "live mixed": lambda: _show_mixed(pages),
            "live many clients": lambda: _show_run(pages, _running(DVD_STORE, _AFTER_SECONDS, clients=_MANY_CLIENTS)),
            **{f"planned {page}": lambda page=page: _show_planned(pages, page, _PLANNED) for page in WIZARD_PAGES},
            "mixed load": lambda: _show_planned(pages, "load", _MIXED),
            "mixed review": lambda: _show_planned(pages, "review", _MIXED),
        }
    return shown


def leave_state(pages: Pages) -> None:
    """Close what a state leaves open, for the next picture."""
    pages.desktop.live.widget.arming.close_panel()
    pages.desktop.window.status.bar.drop(_TOPIC)
    pages.desktop.campaigns.page.view.show_doing("", None, None)
    library = pages.desktop.library
    library.page.filters.clear()
    if not library.page.table.shown:
        library.reload()


def _running(workload: str, seconds: int, clients: int = 4) -> RunData:
    return a_running_run(measure(seconds=seconds, workload=workload, clients=clients))


def _ended(workload: str, state: RunState) -> RunData:
    measured = measure(seconds=_ALL_SECONDS, workload=workload)
    run, record = a_running_run(measured), a_record(measured)
    run.set_state(state, record.phases)
    run.totals = record.totals
    return run


def _show_run(pages: Pages, run: RunData | LoadsData) -> None:
    pages.show("no run")
    live = pages.desktop.live.widget
    live.show_run(run if isinstance(run, LoadsData) else loads_of(run))
    live.view.refresh_recoveries()
    live.refresh()
    if live.run is not None and live.run.workstation is not None:
        live.set_workstation(live.run.workstation, {})


def _show_mixed(pages: Pages) -> None:
    loads = LoadsData(_MIXED)
    loads.loads = (_running(DVD_STORE, _AFTER_SECONDS, clients=1), _running(MAIL, _AFTER_SECONDS, clients=1))
    _show_run(pages, loads)


def _show_arming(pages: Pages) -> None:
    _show_run(pages, _running(pages.workload, _BEFORE_SECONDS))
    over_ssh = InjectionDraft(kind="ssh", place="root@r630-a", command="reboot")
    pages.desktop.live.widget.arming.ask(over_ssh if pages.workload in (MAIL, STORAGE) else InjectionDraft())


def _show_preparing(pages: Pages) -> None:
    pages.show("no run")
    pages.desktop.live.widget.show_preparing("Building ds2_1: orders", 0.4)


def _show_audit(pages: Pages) -> None:
    pages.show("audit")
    report = replace(_lossy(pages.workload), audited_at="2026-11-21T14:12:17+00:00", seconds=1.25)
    pages.desktop.library.run_page.audit.show_audit(report.to_dict())


def _lossy(workload: str) -> AuditReport:
    """An audit with losses, and with the checks of a workload: only orders of the DVD Store have amounts."""
    if workload not in _CHECKS:
        return REPORT
    consistency = tuple(Consistency(what=what, wrong=place % 2) for place, what in enumerate(_CHECKS[workload]))
    examples = {
        name: tuple(replace(example, net_cents=None) for example in found)
        for name, found in REPORT.stores[0].examples.items()
    }
    first = replace(REPORT.stores[0], consistency=consistency, examples=examples)
    return replace(REPORT, stores=(first, *REPORT.stores[1:]))


def _show_journal(pages: Pages) -> None:
    pages.show("campaign")
    view = pages.desktop.campaigns.page.view
    view.tabs.setCurrentWidget(view.journal)


def _show_stages(pages: Pages) -> None:
    """The tab of a staircase whose knee is in its middle."""
    pages.show("run")
    page = pages.desktop.library.run_page
    headline = headline_of(pages.workload)
    stages = tuple(
        StageTotals(
            number=number,
            users=16 * number,
            first_second=120 * (number - 1) + 30,
            seconds=90,
            headline=headline.per_period(60.0 * min(number, 5) + 0.5 * number),
            count=5_400 * min(number, 5) + 45 * number,
            times=ResponseTimes(mean=8.0 + max(0, 6 * (number - 5)), p95=19.5 + number**2, p99=41.0 + 2 * number**2),
            clients_cpu_pct=5.0 * number,
            machine_cpu_pct=9.0 * number,
            rows_per_second=9_800.0 * min(number, 5),
            kb_per_second=1_210.0 * min(number, 5),
            is_steady=number != 6,
        )
        for number in range(1, 9)
    )
    plan = RunPlan(
        workload=pages.workload,
        targets=(example_target(pages.workload),),
        threads=128,
        stages=tuple(Stage(users=each.users, seconds=120) for each in stages),
    )
    run = RunData(plan)
    run.totals = replace(NO_TOTALS, stages=stages)
    page.stages.show_run(run)
    page.tabs.setTabVisible(page.tabs.indexOf(page.stages), True)
    page.tabs.setCurrentWidget(page.stages)


def _show_empty_library(pages: Pages) -> None:
    pages.show("library")
    pages.desktop.library.page.show_runs((), deleted=1)


def _show_no_match(pages: Pages) -> None:
    pages.show("library")
    pages.desktop.library.page.filters.search.setText("cassandra")


def _show_running_campaign(pages: Pages) -> None:
    pages.show("campaign")
    pages.wait_for(lambda: pages.desktop.background.is_idle)
    page = pages.desktop.campaigns.page
    view = page.view
    assert view.tree is not None
    campaign = replace(view.tree.campaign, state=CampaignState.RUNNING)
    with QSignalBlocker(page):  # choosing it would read the stored one, which is stopped
        page.show_campaigns([campaign])
    view.show_campaign(replace(view.tree, campaign=campaign))
    view.show_doing("Resetting ds2_3 on r630-a", 0.4, 83.0)


def _show_messages(pages: Pages) -> None:
    """The status area with all that it can have at the same time."""
    pages.show("library")
    status = pages.desktop.window.status
    status.show_run(Shape.DISC, "accent", "Measuring 1:20 of 5:00")
    status.bar.show_message(
        "Host r630-a refused the connection on port 1433. Is SQL Server running there and TCP/IP enabled?",
        Severity.ERROR,
        topic=_TOPIC,
    )


def _show_planned(pages: Pages, page: str, plan: RunPlan) -> None:
    pages.show(f"wizard {page}")
    wizard = pages.desktop.new_run.widget
    wizard.fill(plan)
    wizard.page_list.setCurrentRow(WIZARD_PAGES.index(page))
