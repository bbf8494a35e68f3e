"""A run of the library as a row of a list: plain values that ``spindle library list`` and the window's table both show.

``None`` is unknown.
"""

from dataclasses import dataclass
from datetime import datetime

from engine.analysis.comparing.variability import totals_variability_pct
from engine.analysis.headline import Headline, headline_of
from engine.audit.report import AuditReport
from engine.figure_text import listed
from engine.plan.pace import pace_of, uses_think_time
from engine.record.record import RunRecord, RunState
from engine.record.totals import NO_TOTALS
from engine.subject import Subject
from engine.target.target import Target
from engine.workload.registry import find_workload


@dataclass(frozen=True, kw_only=True)
class RunListing:
    """The row of one run.

    ``workload`` is the id of its workload. ``threads`` are emulated users of each client, whose ``pace`` is in words;
    ``think_time_ms`` is ``None`` where they have none. Figures are those of the measured time. ``targets`` are the
    distinct servers, and ``stores`` the names of their databases, or files as ``db1:/data/f``. ``faults`` is the number
    of those that were marked or injected, ``audit`` the verdict of the last audit. ``campaign`` and ``run_set`` are the
    names of its campaign and set, or empty, and ``is_median`` says whether it is the set's median run.
    ``shared_stores`` says what others did to its stores. ``searched`` is the searchable text, the same as for
    ``Library.runs``, in lines; case is ignored. ``measured_seconds`` is the measured time, ``total_seconds`` that of
    the run with ramp and warm-up; neither is known before its end. ``planned_seconds`` is the planned measured time, 0
    if until stopped; ``measuring_from`` is the second at which measuring began. ``loads`` are the titles of a mixed
    run's loads and ``headlines`` the headline of each, as text, while the other figures are the first one's; both are
    empty for any other run.
    """

    run_id: str
    workload: str
    name: str
    note: str
    tags: tuple[str, ...]
    state: RunState
    started_at: datetime
    targets: tuple[str, ...]
    stores: tuple[str, ...]
    size: str | None
    size_bytes: int | None
    clients: int
    threads: int
    think_time_ms: float | None
    headline_rate: float | None
    variability_pct: float | None
    p95_ms: float | None
    errors: int | None
    faults: int | None
    audit: str | None
    searched: str
    measured_seconds: int | None = None
    total_seconds: float | None = None
    planned_seconds: int = 0
    measuring_from: int | None = None
    failure: str = ""
    pace: str = ""
    campaign: str = ""
    run_set: str = ""
    is_median: bool = False
    shared_stores: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()
    headlines: tuple[str, ...] = ()

    @property
    def headline(self) -> Headline:
        """What the run's first figure counts, and the words for it."""
        return headline_of(self.workload)

    @property
    def scale_text(self) -> str:
        """The scale of its stores in words: ``40GB``, ``10 warehouses``; empty if unknown."""
        scale = find_workload(self.workload).scale
        return "" if self.size is None else scale.in_words(scale.read(self.size))

    @property
    def targets_text(self) -> str:
        """The servers and their databases, such as ``db1:5432 / ds2``; of storage its files alone."""
        stores = ", ".join(self.stores)
        if find_workload(self.workload).subject is Subject.STORAGE:
            return stores
        return f"{', '.join(self.targets)} / {stores}"

    @property
    def users_text(self) -> str:
        """The clients and the users of each; of a mixed run those of the first load, and how many others it has."""
        others = f" +{len(self.loads) - 1}" if self.loads else ""
        return f"{self.clients}×{self.threads}{others}"

    @property
    def loads_sentence(self) -> str:
        """The headline of each load of a mixed run, and whose the other figures are; empty for any other."""
        if not self.loads:
            return ""
        loads = listed([f"{title} {headline}" for title, headline in zip(self.loads, self.headlines, strict=True)])
        return f"Mixed run of {loads}; users and other figures are those of {self.loads[0]}."

    @property
    def state_text(self) -> str:
        """The state, and whether others used the run's stores, which affects its figures."""
        return f"{self.state.value}, store shared" if self.shared_stores else self.state.value

    @classmethod
    def of(cls, record: RunRecord, *, faults: int | None = None) -> "RunListing":
        """A record's row; the number of faults and the set are not in the record."""
        totals, plan = record.totals or NO_TOTALS, record.plan
        return cls(
            run_id=record.run_id,
            workload=plan.workload,
            name=record.name,
            note=record.note,
            tags=record.tags,
            state=record.state,
            started_at=record.started_at,
            targets=tuple(dict.fromkeys(server_of(target) for target in plan.targets)),
            stores=tuple(dict.fromkeys(map(_store_name, plan.stores()))),
            size=None if plan.scale is None else str(plan.scale),
            size_bytes=None if plan.scale is None else find_workload(plan.workload).estimate(plan.scale).total_bytes,
            clients=_clients(record),
            threads=plan.threads,
            think_time_ms=plan.think_time_ms if uses_think_time(plan) else None,
            pace=pace_of(plan),
            headline_rate=totals.headline_rate,
            variability_pct=totals_variability_pct(totals),
            p95_ms=totals.times.p95,
            errors=totals.error_count,
            faults=faults,
            audit=None
            if record.audit is None
            else AuditReport.from_dict(record.audit).worst_verdict.value
            if plan.is_mixed
            else str(record.audit.get("verdict")),
            searched=_searched(record),
            measured_seconds=totals.measured_seconds,
            total_seconds=None if record.ended_at is None else (record.ended_at - record.started_at).total_seconds(),
            planned_seconds=plan.measured_seconds,
            measuring_from=record.phases.measuring_from,
            failure=record.failure,
            campaign=record.campaign,
            shared_stores=tuple(totals.shared_stores),
            loads=plan.titles if plan.is_mixed else (),
            headlines=tuple(map(_headline, record.loads)) if plan.is_mixed else (),
        )

    def seconds_at(self, now: datetime) -> float | None:
        """The seconds measured until ``now``; ``None`` when none were, or when unknown."""
        if self.state.is_final:
            return self.measured_seconds
        if self.state is not RunState.MEASURING or self.measuring_from is None:
            return None
        return max(0.0, (now - self.started_at).total_seconds() - self.measuring_from)

    @property
    def is_cut_short(self) -> bool:
        """Whether the run ended early, so that its figures are of a shorter time than planned."""
        return self.state.is_final and self.state is not RunState.COMPLETED


def server_of(target: Target) -> str:
    """The hosts of a target, or the machine of its file; its kind when it has neither."""
    return ",".join(str(host) for host in target.hosts) or target.storage.machine or target.kind


def _store_name(store: Target) -> str:
    return f"{store.storage.machine}:{store.database}" if store.storage.machine else store.database


def _headline(load: RunRecord) -> str:
    return headline_of(load.plan.workload).labelled((load.totals or NO_TOTALS).headline_rate)


def _clients(record: RunRecord) -> int:
    """How many clients drove the run, of a mixed one its first load. A driver whose output has only figures of all
    targets together had as many as its plan has targets."""
    plan = record.plan
    if plan.is_mixed:
        return len(plan.loads[0].client_plans())
    labels = len(record.client_labels)
    return max(labels, len(plan.client_plans())) if record.origin.is_imported else labels


def _searched(record: RunRecord) -> str:
    texts = (record.run_id, record.name, record.note, record.plan.name, *record.tags, *record.client_labels)
    return "\n".join(texts).casefold()


@dataclass(frozen=True, kw_only=True)
class BinListing:
    """``stored_bytes`` is about the disk space that the run takes until it is removed from the bin."""

    run: RunListing
    deleted_at: datetime
    stored_bytes: int
