"""Imports the output of a DVD Store driver as a run, so that old results can be stored in the library.

Called by the command line's import. Reports are cumulative since the reset of the statistics; a sample is the
difference between a report and the one before. Accuracy:

- Orders and rollbacks are exact; the seconds are those of the reports, rounded to whole ones, and the reset is assumed
  at the last report of the warm-up. Every order has a purchase.
- Response times are sums of means that DS2 truncates to whole milliseconds. If a report has the mean since the one
  before (``rt_tot_sampled``), a sum is up to 1 ms an order too low. Older logs have only the mean since the reset: its
  sum is exact to 1 ms an order over the whole run, but not from sample to sample.
- Percentiles, largest response times, users' states, errors by class, and the logins, registrations and browses of
  each interval are not in the output. The samples have 0 there and no histogram; the totals are those of the last
  report.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.record.record import Origin, Phases, RunRecord, RunState
from engine.record.totals import Totals
from engine.target.target import POSTGRESQL
from engine.telemetry.event import EventCode, EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from engine.workloads.driver_files import ImportedRun
from engine.workloads.dvdstore.ds2.log_lines import (
    Connected,
    Entry,
    FromStart,
    Parameters,
    Report,
    Reset,
    Start,
    StoppedUser,
    entries_of,
)
from engine.workloads.dvdstore.ds2.parameters import plan_from_ds2
from engine.workloads.dvdstore.ds2.totals import inconsistencies_of, totals_of
from engine.workloads.dvdstore.transactions import ORDER, Step

_UNKNOWN_HOST = "unknown"


@dataclass
class _Moment:
    """The reports printed at one time, ``second`` after the start: of all targets, and of each if reported
    separately."""

    second: int
    total: Report
    targets: list[Report] = field(default_factory=list)


@dataclass
class _Timeline:
    """The reports before and after the reset; without a reset, all are in ``measured`` or all in ``warm_up``."""

    warm_up: list[_Moment] = field(default_factory=list)
    measured: list[_Moment] = field(default_factory=list)

    @property
    def reset_at(self) -> int:
        return self.warm_up[-1].second if self.warm_up else 0

    @property
    def moments(self) -> list[_Moment]:
        return [*self.warm_up, *self.measured]

    @property
    def last(self) -> _Moment:
        return self.moments[-1]

    @property
    def targets(self) -> int:
        """The number of targets with separate reports, even if only at the end; 0 if there are none, or one alone."""
        return max(len(moment.targets) for moment in self.moments)


def read_ds2_log(
    text: str, *, source: str, started_at: datetime, new_run_id: Callable[[datetime], str], kind: str = POSTGRESQL
) -> ImportedRun:
    """The run in a DVD Store driver's output.

    ``started_at`` (UTC) is used when the log has no readable date; ``kind`` is the DBMS, which no driver prints. A log
    without a Final report is an interrupted run. Targets that were not reported separately are one client. Raises
    ``BadInput``, naming ``source``, when it contains no report, or more than one run.
    """
    entries = list(entries_of(text))
    timeline = _timeline(entries, source)
    names = _target_names(entries, timeline.targets)
    plan, problems = _plan(entries, timeline, names, kind)
    apart = _separate_targets(timeline)
    labels = _labels(names, apart, targets=timeline.targets)
    began, clock = _start_of(entries, timeline, started_at)
    record = RunRecord(
        run_id=new_run_id(began),
        name=PurePath(source).name,
        plan=plan,
        client_labels=labels,
        state=RunState.COMPLETED if timeline.last.total.final else RunState.INTERRUPTED,
        started_at=began,
        ended_at=timeline.last.total.finished_at or began + timedelta(seconds=timeline.last.second),
        phases=_phases(timeline),
        environment=_environment(entries, source, clock),
        totals=_totals(timeline, labels, names, apart),
        origin=Origin.DS2_LOG,
    )
    samples = tuple(
        sample
        for client in range(1, len(labels) + 1)
        for start, moments in ((0, timeline.warm_up), (timeline.reset_at, timeline.measured))
        for sample in _samples(client, start, [(each.second, _of_client(each, client, apart)) for each in moments])
    )
    problems += inconsistencies_of([(moment.total, moment.targets) for moment in timeline.measured])
    events = sorted(_events(entries, timeline, problems), key=lambda event: event.at_seconds)
    return ImportedRun(record=record, samples=samples, events=tuple(events))


def _timeline(entries: Sequence[Entry], source: str) -> _Timeline:
    stretches: list[list[_Moment]] = [[]]
    base, reset = 0, False
    for entry in entries:
        if isinstance(entry, Reset):
            reset = True
        if not isinstance(entry, Report):
            continue
        last = stretches[-1][-1] if stretches[-1] else None
        if last is not None and last.total.final and not entry.final:
            raise BadInput(f"{source} holds more than one DVD Store run; import each from a file of its own.")
        if last is not None and not reset and (entry.et, entry.final) == (last.total.et, last.total.final):
            last.targets.append(entry)
            continue
        if last is not None and (reset or entry.et < last.total.et):
            base = last.second
            stretches.append([])
        reset = False
        stretches[-1].append(_Moment(second=base + round(entry.et), total=entry))
    if not stretches[0]:
        raise BadInput(f"{source} holds no report of a DVD Store driver; give its output, with the et= … opm= … lines.")
    if len(stretches) > 2:
        raise BadInput(f"{source} holds more than one DVD Store run; import each from a file of its own.")
    return _phased(stretches, entries)


def _phased(stretches: list[list[_Moment]], entries: Sequence[Entry]) -> _Timeline:
    """Split the reports into warm-up and measured ones: at the reset, or without one by whether the warm-up may have
    ended."""
    end = stretches[-1]
    if len(end) > 1 and not end[-1].total.final and len(end[-1].targets) < len(end[-2].targets):
        end.pop()  # the log was cut in the middle of the targets' reports
    if len(stretches) == 2:
        return _Timeline(warm_up=stretches[0], measured=end)
    warms_up = _echoed(entries).get("warmup_time", "0") != "0"
    reset = any(isinstance(entry, Reset) for entry in entries)
    if warms_up and not reset and not end[-1].total.final:
        return _Timeline(warm_up=end)
    return _Timeline(measured=end)


def _echoed(entries: Sequence[Entry]) -> dict[str, str]:
    return {name: value for entry in entries if isinstance(entry, Parameters) for name, value in entry.values.items()}


def _target_names(entries: Sequence[Entry], count: int = 0) -> tuple[str, ...]:
    """The targets in DS2's order: from its parameters, else from the connections of its users, sorted by user; empty
    when unknown.

    ``count`` is their number according to the reports: if all users connected to one name, it is that of all targets.
    """
    echoed = [name.strip() for name in _echoed(entries).get("target", "").split(";") if name.strip()]
    if echoed:
        return tuple(name.rpartition("@")[2] for name in echoed)
    users = sorted((entry.user, entry.target) for entry in entries if isinstance(entry, Connected))
    names = tuple(dict.fromkeys(target for _, target in users))
    return names * max(1, count) if len(names) == 1 else names


def _plan(entries: Sequence[Entry], timeline: _Timeline, names: Sequence[str], kind: str) -> tuple[RunPlan, list[str]]:
    """The plan from the driver's parameters, or as far as the reports have them; and what could not be used.

    A target that the log does not name has the host ``unknown``.
    """
    echoed = _echoed(entries)
    users = len({entry.user for entry in entries if isinstance(entry, Connected)})
    targets = [*names, *[_UNKNOWN_HOST] * (max(1, timeline.targets) - len(names))]
    values = {
        "run_time": str(round((timeline.last.second - timeline.reset_at) / 60)),
        "warmup_time": str(round(timeline.reset_at / 60)),
        "n_threads": str(users or len(targets)),
        **echoed,
        "target": ";".join(targets),
    }
    if values["n_threads"].isdecimal():  # DS2 prints the threads of all targets together
        values["n_threads"] = str(max(1, int(values["n_threads"]) // len(targets)))
    try:
        plan = plan_from_ds2(values, kind=kind).plan
    except BadInput as error:
        return RunPlan(), [f"the parameters in the log are not a valid plan: {error}"]
    problems = (
        [f"the log names {len(names)} of its {timeline.targets} targets; the hosts of the others are unknown"]
        if 0 < len(names) < timeline.targets
        else []
    )
    return plan if "db_size" in echoed else plan.changed({"db_size": None}), problems


def _separate_targets(timeline: _Timeline) -> int:
    """The number of targets with separate reports throughout the run; 0 if they are only reported together."""
    counts = {len(moment.targets) for moment in timeline.moments}
    return counts.pop() if len(counts) == 1 else 0


def _labels(names: Sequence[str], apart: int, *, targets: int) -> tuple[str, ...]:
    if not apart:
        count = max(len(names), targets)
        return (f"all {count} targets" if count > 1 else names[0] if names else "DS2",)
    known = names if len(names) == apart else [f"target {number}" for number in range(1, apart + 1)]
    return tuple(
        name if known.count(name) == 1 else f"{name} #{known[:number].count(name) + 1}"
        for number, name in enumerate(known)
    )


def _of_client(moment: _Moment, client: int, apart: int) -> Report:
    return moment.targets[client - 1] if apart else moment.total


def _samples(client: int, start: int, reports: Sequence[tuple[int, Report]]) -> Iterator[Sample]:
    """The differences between cumulative reports; of several in one second, only the last is used."""
    reached, orders, rollbacks, order_us = start, 0, 0, 0
    for second, report in dict(reports).items():
        if second <= reached:
            continue
        done = max(0, report.orders - orders)
        rolled_back = max(0, report.values.get("rollbacks", 0) - rollbacks)
        took_us = _interval_us(report, done, order_us)
        yield Sample(
            client=client,
            second=second - 1,
            covers=second - reached,
            rollbacks=rolled_back,
            transactions={
                ORDER: Count(done, took_us, histogram=None),
                Step.PURCHASE: Count(done, histogram=None),
            },
        )
        reached, orders, rollbacks, order_us = second, orders + done, rollbacks + rolled_back, order_us + took_us


def _interval_us(report: Report, done: int, before_us: int) -> int:
    if "sampled_ms" in report.values:
        return done * report.values["sampled_ms"] * 1000
    return max(0, report.orders * report.values.get("order_ms", 0) * 1000 - before_us)


def _phases(timeline: _Timeline) -> Phases:
    measured = bool(timeline.measured)
    return Phases(
        warming_up_from=0,
        measuring_from=timeline.reset_at if measured else None,
        measuring_to=timeline.last.second if measured else None,
    )


def _start_of(entries: Sequence[Entry], timeline: _Timeline, otherwise: datetime) -> tuple[datetime, str]:
    """When the users began, and whose clock it is."""
    log_clock = "the log's local times, read as UTC"
    for entry in entries:
        if isinstance(entry, Start) and entry.at is not None:
            return entry.at, log_clock
    finished_at = timeline.last.total.finished_at
    if finished_at is not None:
        return finished_at - timedelta(seconds=timeline.last.second), log_clock
    return otherwise, "the file's time"


def _environment(entries: Sequence[Entry], source: str, clock: str) -> dict[str, Any]:
    environment: dict[str, Any] = {"imported_from": PurePath(source).name, "clock": clock}
    if echoed := _echoed(entries):
        environment["ds2_parameters"] = {**echoed, "target": ";".join(_target_names(entries))}
    for entry in entries:
        if isinstance(entry, FromStart):  # the first is of all targets together
            environment["from_start"] = {"purchases": entry.purchases, "rollbacks": entry.rollbacks}
            break
    return environment


def _totals(timeline: _Timeline, labels: Sequence[str], names: Sequence[str], apart: int) -> Totals | None:
    if not timeline.measured:
        return None
    end = timeline.measured[-1]
    reports = end.targets if apart else [end.total]
    targets = names if len(names) == len(reports) else labels
    clients = list(zip(labels, targets, reports, strict=True))
    if apart:
        return totals_of(end.total, clients)
    known = names if len(names) == len(end.targets) else [f"target {n}" for n in range(1, len(end.targets) + 1)]
    return totals_of(end.total, clients, list(zip(known, end.targets, strict=True)))


def _events(entries: Sequence[Entry], timeline: _Timeline, problems: Sequence[str]) -> Iterator[RunEvent]:
    if timeline.warm_up:
        yield RunEvent(
            at_seconds=0,
            kind=EventKind.PHASE,
            label=RunState.WARMING_UP,
            code=EventCode.PHASE_BEGAN,
            data={"state": RunState.WARMING_UP.value},
        )
    if timeline.measured:
        yield RunEvent(
            at_seconds=timeline.reset_at,
            kind=EventKind.PHASE,
            label=RunState.MEASURING,
            code=EventCode.PHASE_BEGAN,
            data={"state": RunState.MEASURING.value},
        )
    for at_seconds, texts in _stopped_users(entries, timeline).items():
        label = (
            f"{len(texts)} emulated users ended at an error" if len(texts) > 1 else "an emulated user ended at an error"
        )
        yield RunEvent(at_seconds=at_seconds, kind=EventKind.TARGET_ERROR, label=label, detail=texts[0])
    for problem in problems:
        yield RunEvent(at_seconds=timeline.last.second, kind=EventKind.WARNING, label=problem)


def _stopped_users(entries: Sequence[Entry], timeline: _Timeline) -> dict[int, list[str]]:
    """The errors of the users that ended, by the second of the report before: DS2's users don't reconnect."""
    seconds = {id(moment.total): moment.second for moment in timeline.moments}
    at = 0
    stopped: dict[int, list[str]] = {}
    for entry in entries:
        at = seconds.get(id(entry), at)
        if isinstance(entry, StoppedUser):
            stopped.setdefault(at, []).append(entry.text)
    return stopped
