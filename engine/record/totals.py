"""The totals of a run: its figures over the measured seconds, of all clients and of each.

``engine.analysis.totals`` computes them from what the library holds, and ``engine.record.totals_json`` converts them to
and from JSON, where the names are those of ``spindle run --json``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.telemetry.workstation import ProcessSummary, SaturationRecord


@dataclass(frozen=True, kw_only=True)
class ResponseTimes:
    """Response times in milliseconds; ``None`` is unknown.

    ``p90`` is computed only where a workload limits it, ``p999`` (99.9 %) only where a workload asks for it.
    """

    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    p999: float | None = None
    max: float | None = None


NO_TIMES = ResponseTimes()


@dataclass(frozen=True, kw_only=True)
class TransactionTotals:
    """The number of a transaction, or of a step of one, and its response times."""

    count: int | None = None
    times: ResponseTimes = NO_TIMES


_NO_TRANSACTION = TransactionTotals()


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The figures of all clients or of one; ``None`` is unknown.

    ``headline_rate`` is the value of the workload's headline metric, such as OPM, and ``peak`` its highest value;
    ``counted`` is the id of the transaction that it counts. ``all_a_minute`` are the transactions of all types a
    minute, where there are several. ``transactions`` has the types of transactions and their steps, by their ids.
    ``counts`` are those of rollbacks, retries, reconnects and purchases in doubt, by the names of
    ``engine.telemetry.sample.Sample``. ``overdue`` transactions and the response times as ``intended`` are ``None``
    without a schedule. ``errors`` are counted by class.
    """

    headline_rate: float | None = None
    peak: float | None = None
    counted: str = ""
    all_a_minute: int | None = None
    transactions: Mapping[str, TransactionTotals] = field(default_factory=dict)
    counts: Mapping[str, int | None] = field(default_factory=dict)
    rollback_pct: float | None = None
    overdue: int | None = None
    intended: ResponseTimes | None = None
    errors: Mapping[str, int] | None = None

    def of(self, transaction: str) -> TransactionTotals:
        """The totals of a type of transactions or a step, by its id."""
        return self.transactions.get(transaction, _NO_TRANSACTION)

    @property
    def count(self) -> int | None:
        """The number of transactions that the headline counts."""
        return self.of(self.counted).count

    @property
    def times(self) -> ResponseTimes:
        """The response times of the transactions that the headline counts."""
        return self.of(self.counted).times

    @property
    def error_count(self) -> int | None:
        """The number of errors of all classes."""
        return None if self.errors is None else sum(self.errors.values())


@dataclass(frozen=True, kw_only=True)
class BacklogTotals:
    """The depth of the queue within the workload's emulation (``engine.workload.backlog``) in the measured seconds.

    ``growth`` is how much it grew from the first to the last of them, and ``has_grown`` whether that is more than is
    allowed; ``None`` for too few seconds.
    """

    mean: float
    longest: int
    growth: float
    has_grown: bool | None


@dataclass(frozen=True, kw_only=True)
class ClientTotals(Figures):
    """The figures of one client, with its label and the URL of its target."""

    label: str
    target: str | None = None


@dataclass(frozen=True, kw_only=True)
class StageTotals:
    """The figures of a stage of the load, numbered from 1, of all clients, after its settling time.

    It had so many active ``users``, or transactions were due at a ``rate`` in units of the headline a minute.
    ``first_second`` is the first that counts, in seconds of the run, and ``seconds`` how many do. ``headline`` is the
    throughput, ``times`` are of the transactions that it counts. ``longest_queue`` is the longest of an open loop. The
    CPU use, of the client processes and of the whole workstation, is in per cent of all its processors. Rows and
    kilobytes are those of ``Totals``. ``is_steady`` is the verdict of ``engine.analysis.steady_state`` on the stage,
    with the drift and the spread of its throughput; ``backlog_growth`` is by how much the queue within the workload's
    emulation has grown, where it has.
    """

    number: int
    users: int | None = None
    rate: float | None = None
    think_time_ms: float | None = None
    first_second: int
    seconds: int
    headline: float
    count: int
    times: ResponseTimes = NO_TIMES
    errors: int = 0
    longest_queue: int | None = None
    clients_cpu_pct: float | None = None
    machine_cpu_pct: float | None = None
    rows_per_second: float | None = None
    kb_per_second: float | None = None
    is_steady: bool | None = None
    drift_pct: float | None = None
    spread_pct: float | None = None
    backlog_growth: float | None = None

    @property
    def load(self) -> float:
        """Its users, or its rate."""
        return self.users if self.users is not None else self.rate or 0.0


@dataclass(frozen=True, kw_only=True)
class Totals(Figures):
    """The figures of all clients of a run of a workload, and what is known of the run as a whole.

    ``workload`` is its id; empty for published results, which have a headline and nothing else.
    ``since_start`` counts from the start of the run, ramp and warm-up included; ``None`` for an imported run.
    ``has_step_times`` says whether the percentiles of the steps' response times are known. ``stages`` are those of a
    load by stages. ``processes`` and ``saturation`` are the summaries of the client processes and the saturation
    intervals, ``None`` where they were not recorded. ``after_run`` is what servers measured of themselves after the
    run, by target. ``rows_per_second`` are the rows of all answers, and ``kb_per_second`` their bytes in thousands, as
    the DBMS's protocol frames them; ``None`` where they were not counted. ``backlog`` is of a workload that has one.
    ``due`` is of a workload with a service level: the transactions that were done in the measured seconds, and those
    that were due at their end and not done; ``None`` where that is not known.
    ``shared_stores`` says, in sentences, how others used a store of the run.

    Only an imported run has ``last_100_max_ms``, the largest response time of the last 100 orders, and ``targets``, the
    figures of its targets where its clients are not distinguished.

    Of a mixed run they are those of its first load, and ``further_loads`` has those of the others.
    """

    workload: str = ""
    measured_seconds: int | None = None
    clients: tuple[ClientTotals, ...] = ()
    since_start: Mapping[str, int] | None = None
    has_step_times: bool = False
    processes: tuple[ProcessSummary, ...] | None = None
    saturation: tuple[SaturationRecord, ...] | None = None
    after_run: Mapping[str, Any] | None = None
    rows_per_second: float | None = None
    kb_per_second: float | None = None
    backlog: BacklogTotals | None = None
    due: int | None = None
    shared_stores: Sequence[str] = ()
    stages: tuple[StageTotals, ...] = ()
    last_100_max_ms: float | None = None
    targets: tuple[ClientTotals, ...] = ()
    further_loads: "tuple[Totals, ...]" = ()

    @property
    def loads(self) -> "tuple[Totals, ...]":
        """The totals of each load of the run, the first one first."""
        return (replace(self, further_loads=()), *self.further_loads) if self.further_loads else (self,)


def totals_of_loads(loads: Sequence[Totals]) -> Totals:
    """The totals of a run from those of its loads."""
    return replace(loads[0], further_loads=tuple(loads[1:]))


NO_TOTALS = Totals()
"""For a run without totals: everything is unknown."""
