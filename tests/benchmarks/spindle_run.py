"""A whole run of Spindle under measurement: with its clients, probe, sampling, histograms, ledgers and library.

Called in the process of ``tests.benchmarks.spindle_driver``. The processor time is that of this process (which collects
and stores), of the clients and of the probe, over the same seconds whose orders are counted.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from engine.audit.ledger_files import ledger_path
from engine.audit.ledger_reading import read_ledger
from engine.conduct.after_run import audit_after_run
from engine.conduct.conductor import Conductor
from engine.conduct.targets import Targets
from engine.databases.arrival import wall_clock
from engine.driver import sharing
from engine.driver.run import Run
from engine.library.library import Library
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.totals_json import totals_to_dict
from engine.secrets import Secret
from engine.telemetry.event import EventKind
from engine.workload.registry import find_workload
from engine.workloads.wholesale.transactions import ROLLED_BACK
from tests.benchmarks import child
from tests.benchmarks.driven import Cpu, Driven, cpu_of_all, peak_memory_mb

_LOOK_SECONDS = 0.02
# The users go on a little beyond the span that is counted, so that nobody has left when the clocks are read.
_SECONDS_AFTER = 1


def measure(question: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out the plan of the question; what came of it, as plain values."""
    if question["as_from_elsewhere"]:
        sharing.is_this_machine = lambda name: False
    places = find_places(Path(question["home"]))
    secret = None if question["secret"] is None else Secret(question["secret"])
    seconds = int(question["seconds"])
    plan = RunPlan.from_dict({**question["plan"], "minutes": (seconds + _SECONDS_AFTER) / 60})
    with (
        Library.open(places.library, notify=_say) as library,
        Targets(places, secrets={}, find=lambda _: secret, notify=_say) as targets,
    ):
        conductor = Conductor(plan, library=library, targets=targets, notify=_say)
        conductor.prepare(report_progress=lambda _: None, cancelled=lambda: False)
        begun_at = time.monotonic()
        conductor.start([])
        watched = _Watched(conductor.run, seconds)
        conductor.run.wait()
        peak_here = peak_memory_mb(psutil.Process())
        record = conductor.finish()
        if record.totals is None or record.failure:
            raise RuntimeError(f"the run failed: {record.failure or 'it has no totals'}")
        totals = totals_to_dict(record.totals)
        first = record.phases.measuring_from
        assert first is not None, "the run was measured"
        series = library.series(record.run_id)
        report = audit_after_run(
            library, record.run_id, targets.resolve, report_progress=lambda _: None, cancelled=lambda: False
        )
        numbers = [client.number for client in conductor.plan.client_plans()]
        ledgers = [read_ledger(ledger_path(library.path, record.run_id, each), record.run_id, each) for each in numbers]
        process_summaries = totals["driver"]
        counted = question["counted"] or [find_workload(plan.workload).headline.counts]
        driven = Driven(
            orders=sum(series.count(f"{each}.n", first=first, end=first + seconds) for each in counted),
            seconds=watched.seconds,
            cpu=watched.all,
            peak_memory_mb=peak_here + sum(each["peak_memory_mb"] or 0.0 for each in process_summaries),
            retries=series.count("retries", first=first, end=first + seconds),
            began_at=wall_clock() - time.monotonic() + conductor.run.timebase.moment(first),
        )
        return {
            "driven": child.driven_to_plain(driven),
            "clients_cpu_seconds": watched.clients.total,
            "connected_seconds": conductor.run.timebase.moment(record.phases.warming_up_from or 0) - begun_at,
            "worst_tick_late_ms": max(each["worst_tick_late_ms"] for each in process_summaries),
            "client_peak_memory_mb": max(each["peak_memory_mb"] or 0.0 for each in process_summaries),
            "counted": _counted(plan, totals["since_start"]),
            "in_ledgers": sum(len(ledger.acknowledged) for ledger in ledgers),
            "audit": report.verdict.value,
            "audit_remarks": [
                *(note for store in report.stores for note in store.notes),
                *(f"{each.wrong:,} {each.what}" for store in report.stores for each in store.consistency if each.wrong),
                *(event.label for event in library.events(record.run_id) if event.kind is EventKind.WARNING),
            ],
            "audit_counts": report.to_dict()["orders"],
            "totals": totals,
        }


def _counted(plan: RunPlan, since_start: Mapping[str, int]) -> dict[str, int]:
    """What ledgers record since the start, and what was rolled back, which some workloads count by itself."""
    workload = find_workload(plan.workload)
    recorded = {*(workload.recorded or (workload.headline.counts,)), ROLLED_BACK}
    orders = sum(since_start[each.plural] for each in workload.transactions if each.id in recorded)
    return {"orders": orders, "rollbacks": since_start["rollbacks"], "in_doubt": since_start["in_doubt"]}


class _Watched:
    """Processor time over the counted seconds of a run; made when the run has begun, there when they are over."""

    def __init__(self, run: Run, seconds: int) -> None:
        while run.phases.measuring_from is None or run.phases.warming_up_from is None:
            if run.wait(_LOOK_SECONDS):
                raise RuntimeError(f"the run was over before it was measured: {run.failure}")
        _until(run.timebase.moment(run.phases.measuring_from))
        here = psutil.Process()
        clients = [psutil.Process(pid) for pid in set(run.client_pids.values())]
        others = [each for each in here.children(recursive=True) if each not in clients]
        began, clients_before, others_before = time.monotonic(), cpu_of_all(clients), cpu_of_all([here, *others])
        _until(run.timebase.moment(run.phases.measuring_from + seconds))
        self.clients: Cpu = cpu_of_all(clients) - clients_before
        self.all: Cpu = self.clients + cpu_of_all([here, *others]) - others_before
        self.seconds = time.monotonic() - began


def _until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))


def _say(text: str) -> None:
    """The answer alone goes to the output."""
