"""The figures of a fault's recovery as plain values, of all clients together and of each.

``engine.analysis.recovery.judging`` computes them; the live panel, the library's pages and reports show them. Names
contain their units. ``None`` is unknown, or not known yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, StrEnum
from typing import Any

from engine.analysis.headline import Headline
from engine.analysis.recovery.baseline import Baseline
from engine.analysis.recovery.blackout import Blackout, ProbeBlackout
from engine.analysis.recovery.published import Published
from engine.analysis.recovery.span import FaultSpan
from engine.analysis.recovery.times import ResponseTimes
from engine.analysis.recovery.tpc import TpcRecovery
from engine.figure_text import plain_spaces
from engine.record.clock import RunClock
from engine.telemetry.event import RunEvent

_DIGITS = 3


class RecoveryState(StrEnum):
    """The state of a run after a fault. Each has its own symbol on the screen.

    Steady: no dip (yet). Down: no order in the newest known second. Degraded: orders, but the threshold was not held
    yet. Recovered: it was held, and any relapse is over. Relapsed: it was held, and the level has fallen again since.
    Not recovered: the fault's seconds ended while the run was down or degraded and had never recovered. Not judged:
    there is no baseline, or the seconds ended before a dip could be detected.
    """

    STEADY = "steady"
    DOWN = "down"
    DEGRADED = "degraded"
    RECOVERED = "recovered"
    RELAPSED = "relapsed"
    NOT_RECOVERED = "not recovered"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """The running clocks of a fault, in seconds, as of its newest second.

    ``elapsed_seconds`` since the fault; ``down_seconds`` and ``degraded_seconds`` spent without an order and with
    orders under the threshold between the dip's begin and the first recovery; ``recovered_after_seconds`` from the
    fault to the first second from which the threshold was held; ``in_state_seconds`` since the present state began.
    """

    elapsed_seconds: float = 0.0
    in_state_seconds: float = 0.0
    down_seconds: int = 0
    degraded_seconds: int = 0
    recovered_after_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Relapse:
    """One fall below the threshold after the first recovery.

    ``begins_at_seconds`` is its first second, of the run; ``after_seconds`` the time from the fault to it. It lasts
    until the threshold is held again, or (unless ``is_over``) as far as is known: ``below_seconds`` of its known
    seconds are below the threshold, ``blackout_seconds`` without an order. ``transactions_not_taken`` is the area
    between the baseline and its orders. ``limits`` are what limited the run meanwhile other than the servers, see
    ``engine.analysis.limits``, the most important first.
    """

    begins_at_seconds: int
    after_seconds: float
    lasts_seconds: int
    is_over: bool
    below_seconds: int
    blackout_seconds: int
    lowest_second_pct: float | None
    transactions_not_taken: float
    limits: tuple[str, ...] = ()


@dataclass(frozen=True)
class DipSpan:
    """The seconds ``first <= second < end``, each without any order, or each with orders under the threshold."""

    first: int
    end: int
    is_blackout: bool


@dataclass(frozen=True, kw_only=True)
class Felt:
    """A fault as the users felt it. Seconds count from the fault and are whole but for the fault's own fraction.

    ``dip_seconds`` until the first low second, ``first_failed_call_seconds`` until the second of the first error and
    ``detection_lag_seconds`` until the first sign of the fault: the probe's first tenth without a committed write when
    it saw a black-out, else the earlier of the other two. ``time_to_seconds`` until a share of the baseline, in per
    cent, was held again; 0 when the level never fell under it. ``recovered_seconds`` until the threshold was first
    held, ``settled_seconds`` until it was held without a relapse: the same where there was none, ``None`` while one
    lasts.

    All others but ``relapse_spans`` are of the time until the first recovery. ``brownout_seconds`` are known seconds of
    the dip with orders, but under the threshold. ``lowest_second_pct`` and ``lowest_window_pct`` are in per cent of the
    baseline, ``…_headline_rate`` the same as value of the headline metric. ``transactions_not_taken`` is the area
    between the baseline and the orders over the known seconds of the account (see ``Recovery``); it adds up over the
    clients and is negative for one that took more than before. ``level_after_pct`` is the mean of the
    ``level_after_known_seconds`` that followed the account, relapses included, in per cent of the baseline.
    """

    detection_lag_seconds: float | None = None
    first_failed_call_seconds: float | None = None
    dip_seconds: float | None = None
    blackout: Blackout = field(default_factory=Blackout)
    probe_blackout: ProbeBlackout | None = None
    brownout_seconds: int | None = None
    time_to_seconds: Mapping[str, float | None] = field(default_factory=dict)
    recovered_seconds: float | None = None
    settled_seconds: float | None = None
    relapse_spans: tuple[Relapse, ...] = ()
    lowest_second_pct: float | None = None
    lowest_second_headline_rate: float | None = None
    lowest_window_pct: float | None = None
    lowest_window_headline_rate: float | None = None
    transactions_not_taken: float | None = None
    transactions_not_taken_baseline_seconds: float | None = None
    level_after_pct: float | None = None
    level_after_known_seconds: int = 0
    unknown_seconds: int = 0

    @property
    def relapses(self) -> int:
        """The number of relapses."""
        return len(self.relapse_spans)

    @property
    def blackout_seconds(self) -> float:
        """The longest blackout, from the probe if it saw one, else from the samples."""
        if self.probe_blackout is None:
            return float(self.blackout.longest_seconds)
        return self.probe_blackout.longest_seconds


@dataclass(frozen=True, kw_only=True)
class Calls:
    """What failed and came back within the account: errors by class, calls repeated, connections made again.

    ``users_lost`` is the most users that were without a connection at once beyond those that were before,
    ``users_back`` how many of them have one again, ``all_users_back_seconds`` when all of them had, for the hold time:
    to the first whole second, while the event of it has its moment.
    """

    errors: Mapping[str, int] = field(default_factory=dict)
    reconnects: int = 0
    retries: int = 0
    in_doubt: int = 0
    users_lost: int | None = None
    users_back: int | None = None
    all_users_back_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class SubjectRecovery:
    """The figures of one client, or (``client`` ``None``) of all of them together."""

    client: int | None
    label: str
    state: RecoveryState
    clocks: Clocks
    baseline: Baseline
    published: Published
    felt: Felt
    calls: Calls
    tpc_e: TpcRecovery
    times_before: ResponseTimes
    times_during: ResponseTimes
    times_after: ResponseTimes


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """What is known of one fault as of the second ``span.end``.

    The account is the seconds ``span.first <= second < account_end``: from the fault until all clients together and
    every client that dipped had first recovered; with no dip at all there are none. ``account_is_open`` while that is
    still awaited. ``dip_began_second`` and ``recovered_second`` are those of all clients together, seconds of the run.
    ``low_spans`` are all seconds of the dip and its relapses that were under the threshold, of all clients together: a
    chart shades them. ``clock`` is the one on which moments are shown. ``notes`` are sentences on what limits the
    figures. ``slowest_client`` is the number of the client that was (or is) longest without recovery;
    ``silent_clients`` are those that took orders before and were not heard of at the end.
    """

    headline: Headline
    span: FaultSpan
    total: SubjectRecovery
    clients: tuple[SubjectRecovery, ...]
    sentence: str
    clock: RunClock
    notes: tuple[str, ...] = ()
    low_spans: tuple[DipSpan, ...] = ()
    account_end: int
    account_is_open: bool
    dip_began_second: int | None = None
    recovered_second: int | None = None
    slowest_client: int | None = None
    silent_clients: tuple[int, ...] = ()

    @property
    def fault(self) -> RunEvent:
        return self.span.fault

    @property
    def state(self) -> RecoveryState:
        """The state of all clients together."""
        return self.total.state

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values for JSON, under names with their units; those of the headline's transactions are
        made by ``Headline.key``."""
        return {
            "number": self.fault.number,
            "label": self.fault.label,
            "at_seconds": self.fault.at_seconds,
            "state": self.state.value,
            "sentence": plain_spaces(self.sentence),
            "notes": [plain_spaces(note) for note in self.notes],
            "first_second": self.span.first,
            "end_second": self.span.end,
            "ending": self.span.ending.value,
            "next_fault": None if self.span.next_fault is None else self.span.next_fault.number,
            "account_end_second": self.account_end,
            "dip_began_second": self.dip_began_second,
            "recovered_second": self.recovered_second,
            "slowest_client": self.slowest_client,
            "silent_clients": list(self.silent_clients),
            **_plain(self.headline, self.total, without=("client", "label", "state")),
            "clients": [_plain(self.headline, client) for client in self.clients],
        }


def _plain(headline: Headline, figures: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    names = [each.name for each in fields(figures) if each.name not in without]
    plain = {headline.key(name): _value(headline, getattr(figures, name)) for name in names}
    if isinstance(figures, Felt):
        # Names of before relapses had figures of their own: ``reached_seconds`` was apart from ``recovered_seconds``.
        plain |= {"reached_seconds": plain["recovered_seconds"], "relapses": figures.relapses}
    return plain


def _value(headline: Headline, value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(headline, value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, str):
        return plain_spaces(value)
    if isinstance(value, Mapping):
        return {str(key): _value(headline, each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_value(headline, each) for each in value]
    return value
