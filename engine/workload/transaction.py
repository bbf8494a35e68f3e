"""What a workload counts: its types of transactions, their timed steps, and the metric that is made of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.figure_text import UNKNOWN, decimal, signed

_FEW = 10
_PERIODS = {1: ("s", "second"), 60: ("min", "minute"), 3600: ("h", "hour")}


@dataclass(frozen=True, kw_only=True)
class TransactionType:
    """A type of transaction, or a timed step of one.

    ``id`` is its name in samples, in the library and in JSON; ``plural`` is the key under which JSON counts it. Screens
    and reports call one of them ``label``, several of them ``labels``. ``step_of`` is the id of the transaction that it
    is a step of; empty for a transaction of its own, which is what a user's schedule has due. ``response_limit_ms`` is
    the limit of the 90th percentile of its response times, where the workload has one. ``mix_pct`` is its share of the
    transactions where the workload specifies one; those of a type without one may count as those of another one,
    ``in_mix_as``.
    """

    id: str
    label: str
    plural: str
    step_of: str = ""
    response_limit_ms: float | None = None
    mix_pct: float | None = None
    in_mix_as: str = ""
    labels: str = ""

    def __post_init__(self) -> None:
        if not self.labels:
            object.__setattr__(self, "labels", f"{self.label}s")

    @property
    def is_step(self) -> bool:
        return bool(self.step_of)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A rate of one type of transaction: ``per_seconds`` times those of a second.

    ``id`` is its name in JSON, ``label`` its short name on screens (OPM), ``unit`` what it counts (orders/min), and
    ``counts`` the id of the transaction type. With ``counted_by_store`` the high water of a store counts the same.
    ``includes_rollbacks``: transactions that were rolled back as the workload wants it are among those counted.
    ``has_decimals`` is for a metric of small numbers, whose values have decimals: two below 10, else one.
    """

    id: str
    label: str
    unit: str
    counts: str
    per_seconds: int = 60
    counted_by_store: bool = False
    includes_rollbacks: bool = True
    has_decimals: bool = False

    @property
    def per(self) -> str:
        """The time that it is a rate of, as in ``6000/min``."""
        return _PERIODS.get(self.per_seconds, (f"{self.per_seconds}s", ""))[0]

    @property
    def period(self) -> str:
        """The same in words: ``minute``."""
        return _PERIODS.get(self.per_seconds, ("", f"{self.per_seconds} seconds"))[1]

    def digits(self, value: float) -> int:
        """How many decimals a value has."""
        return 0 if not self.has_decimals else 2 if abs(value) < _FEW else 1

    def text(self, value: float | None) -> str:
        """A value as it is shown: ``186 604`` OPM, ``105.3`` trades/s."""
        return UNKNOWN if value is None else decimal(value, self.digits(value))

    def signed(self, difference: float | None, value: float | None) -> str:
        """The difference of a value from another, with as many decimals as both have."""
        if difference is None or value is None:
            return UNKNOWN
        return signed(difference, min(self.digits(value), self.digits(value - difference)))

    def value(self, count: int, seconds: int) -> float:
        """The value for ``count`` transactions in ``seconds``, rounded down to the decimals that it has."""
        if not self.has_decimals:
            return self.per_seconds * count // seconds
        hundredths = 100 * self.per_seconds * count // seconds
        return hundredths / 100 if hundredths < 100 * _FEW else hundredths // 10 / 10

    @property
    def by_store_label(self) -> str:
        """What the metric is called that the store's own numbers give."""
        return f"{self.label} by the store's numbers"


def transactions_of(types: Iterable[TransactionType]) -> tuple[TransactionType, ...]:
    """The types that are transactions, without their steps."""
    return tuple(each for each in types if not each.is_step)
