"""A run whose seconds are short, watched: what its processes hold, what its files take, and how late its samples come.

Called in the process of ``tests.benchmarks.endurance_driver``, which is the one that collects and stores; the clients
and the probe are its children.
"""

import os
import time
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from engine.audit.ledger_files import ledger_path
from engine.conduct.conductor import Conductor
from engine.conduct.targets import Targets
from engine.driver.run import Run
from engine.driver.sinks import Sink
from engine.library.library import Library
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.record.totals_json import totals_to_dict
from engine.telemetry.sample import Sample
from tests.benchmarks.endurance_growth import stored_pages

LATE_SECONDS = 0.1
_READINGS = 240
_LEAST_SECONDS_BETWEEN = 0.5
_LOOK_SECONDS = 0.05
_MB = 1_000_000


def measure(question: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out the plan of the question; what was seen of it, as plain values."""
    places = find_places(Path(question["home"]))
    plan = RunPlan.from_dict(question["plan"])
    tick_seconds = float(question["tick_seconds"])
    with (
        Library.open(places.library, notify=_say) as library,
        Targets(places, secrets={}, find=lambda _: None, notify=_say) as targets,
    ):
        conductor = Conductor(plan, library=library, targets=targets, notify=_say, tick_seconds=tick_seconds)
        conductor.prepare(report_progress=lambda _: None, cancelled=lambda: False)
        before = stored_pages(library.path)
        arrivals = _Arrivals()
        conductor.start([arrivals])
        arrivals.run = conductor.run
        watched = _Watched(conductor.run, library.path)
        watched.until_over((plan.warmup_seconds + plan.measured_seconds) * tick_seconds / _READINGS)
        record = conductor.finish()
        if record.totals is None or record.failure:
            raise RuntimeError(f"the run failed: {record.failure or 'it has no totals'}")
        totals = totals_to_dict(record.totals)
        numbers = [client.number for client in conductor.plan.client_plans()]
        return {
            "run_id": record.run_id,
            "ticks": record.phases.measuring_to,
            "library": str(library.path),
            "readings": {
                "ticks": list(watched.ticks),
                "held_mb": {name: list(held) for name, held in watched.held_mb.items()},
            },
            "largest_log_mb": watched.largest_log_mb,
            "samples": arrivals.samples,
            "late": arrivals.late,
            "late_before": arrivals.late_before,
            "latest_ms": round(arrivals.latest_seconds * 1000, 1),
            "missing": _missing(library, record),
            "used_before": before.used,
            "late_ticks": sum(each["late_ticks"] for each in totals["driver"]),
            "worst_tick_late_ms": max(each["worst_tick_late_ms"] for each in totals["driver"]),
            "counted": totals["since_start"],
            "ledger_bytes": sum(ledger_path(library.path, record.run_id, number).stat().st_size for number in numbers),
        }


def _missing(library: Library, record: RunRecord) -> int:
    """How many ticks of how many clients, from the epoch to the end of measuring, have no sample in the library."""
    series = library.series(record.run_id)
    end = record.phases.measuring_to
    assert end is not None, "the run was measured"
    return sum(end - int(series.known(client)[:end].sum()) for client in range(1, series.clients + 1))


class _Arrivals(Sink):
    """A sink that counts what arrives at the run, and how long after its tick was over.

    Those before the measuring phase are counted by themselves: while all processes start and connect, which takes its
    two seconds however long a tick is, a workstation of two processors has none left.
    """

    run: Run

    def __init__(self) -> None:
        self.samples = 0
        self.late = self.late_before = 0
        self.latest_seconds = 0.0

    def write_sample(self, sample: Sample) -> None:
        self.samples += 1
        if self.run.state is RunState.STOPPING:
            return  # what is told at the end is of seconds that the clients close early
        late_seconds = time.monotonic() - self.run.timebase.moment(sample.second + 1)
        first = self.run.phases.measuring_from
        if first is None or sample.second < first:
            self.late_before += late_seconds > LATE_SECONDS
        else:
            self.late += late_seconds > LATE_SECONDS
            self.latest_seconds = max(self.latest_seconds, late_seconds)


class _Watched:
    """Reads what every process holds and what the library's files take, from now until the run is over.

    ``ticks`` are those of the readings, ``held_mb`` the megabytes that each process then held, by name: ``run``,
    ``client 1`` and so on, ``probe``, ``resource tracker``. As arrays, for they lie in a process that is watched.
    """

    def __init__(self, run: Run, library: Path) -> None:
        self.ticks = array("q")
        self.held_mb: dict[str, array[float]] = {}
        self.largest_log_mb = 0.0
        self._run = run
        self._log = library.with_name(library.name + "-wal")
        self._processes: dict[str, psutil.Process] = {}

    def until_over(self, every_seconds: float) -> None:
        while self._run.phases.measuring_from is None:
            if self._run.wait(_LOOK_SECONDS):
                raise RuntimeError(f"the run was over before it was measured: {self._run.failure}")
        self._processes = _processes_of(self._run)
        self.held_mb = {name: array("d") for name in self._processes}
        while not self._run.wait(max(_LEAST_SECONDS_BETWEEN, every_seconds)):
            if self._run.state is RunState.MEASURING:
                self._read()

    def _read(self) -> None:
        self.ticks.append(int(self._run.timebase.at(time.monotonic())))
        for name, process in self._processes.items():
            self.held_mb[name].append(process.memory_info().rss / _MB)
        self.largest_log_mb = max(self.largest_log_mb, _megabytes(self._log))


def _processes_of(run: Run) -> dict[str, psutil.Process]:
    here = psutil.Process()
    first_of = {pid: number for number, pid in reversed(run.client_pids.items())}
    clients = {f"client {number}": psutil.Process(pid) for pid, number in first_of.items()}
    others = [each for each in here.children(recursive=True) if each not in clients.values()]
    return {"run": here, **clients, **{_name_of(each): each for each in others}}


def _name_of(process: psutil.Process) -> str:
    """Beside the clients there are the probe, the server that forks both, and the one with which Python keeps track of
    what is to be cleaned up."""
    if any("resource_tracker" in word for word in process.cmdline()):
        return "resource tracker"
    return "fork server" if process.ppid() == os.getpid() else "probe"


def _megabytes(path: Path) -> float:
    return path.stat().st_size / _MB if path.exists() else 0.0


def _say(text: str) -> None:
    """The answer alone goes to the output."""
