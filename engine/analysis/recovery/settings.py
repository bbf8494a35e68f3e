"""The parameters of the recovery analysis: windows, thresholds and limits, each with its unit."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from engine.errors import BadInput

_LEAST_BASELINE_SECONDS = 10
_DAY_SECONDS = 86_400


@dataclass(frozen=True, kw_only=True)
class RecoverySettings:
    """How a fault is judged; every field is checked when it is made, and a wrong one raises ``BadInput``.

    ``baseline_seconds`` before the fault are the baseline, of which at least ``least_baseline_seconds`` must be known.
    It is steady when its seconds' coefficient of variation is at most ``most_spread_pct`` and its second half differs
    from its first by at most ``most_drift_pct``. ``threshold_pct`` of the baseline parts brown-out from recovered, and
    a level counts when it was held for ``hold_seconds``. A dip that begins later than ``onset_seconds`` after a fault
    is not laid to it, nor is anything later than ``horizon_seconds``. ``lowest_window_seconds`` is the length of the
    lowest window, ``after_seconds`` how long the level after the recovery is taken over, and for how long a relapse
    undoes the recovery.
    """

    baseline_seconds: int = 60
    least_baseline_seconds: int = _LEAST_BASELINE_SECONDS
    most_spread_pct: float = 30.0
    most_drift_pct: float = 20.0
    threshold_pct: float = 95.0
    shares_pct: tuple[float, ...] = (50.0, 80.0, 95.0)
    hold_seconds: int = 5
    onset_seconds: int = 120
    lowest_window_seconds: int = 10
    after_seconds: int = 60
    horizon_seconds: int = 7_200

    def __post_init__(self) -> None:
        _check("least_baseline_seconds", self.least_baseline_seconds, _LEAST_BASELINE_SECONDS, 3_600)
        _check("baseline_seconds", self.baseline_seconds, self.least_baseline_seconds, 3_600)
        _check("most_spread_pct", self.most_spread_pct, 1, 100)
        _check("most_drift_pct", self.most_drift_pct, 1, 100)
        _check("threshold_pct", self.threshold_pct, 1, 100)
        for share in self.shares_pct:
            _check("shares_pct", share, 1, 100)
        object.__setattr__(self, "shares_pct", tuple(sorted(self.shares_pct)))
        _check("hold_seconds", self.hold_seconds, 1, 60)
        _check("onset_seconds", self.onset_seconds, self.hold_seconds, 3_600)
        _check("lowest_window_seconds", self.lowest_window_seconds, 1, 60)
        _check("after_seconds", self.after_seconds, self.hold_seconds, 3_600)
        _check("horizon_seconds", self.horizon_seconds, self.onset_seconds, _DAY_SECONDS)

    @property
    def threshold(self) -> float:
        """The threshold as a share of the baseline, 1 for all of it."""
        return self.threshold_pct / 100

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values for JSON; ``from_dict`` reads them back."""
        return asdict(self) | {"shares_pct": list(self.shares_pct)}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read settings, of which any may be missing; raises ``BadInput`` that names an unknown key or wrong value."""
        known = [field.name for field in fields(cls)]
        for key in plain:
            if key not in known:
                raise BadInput(f"recovery key '{key}' is not known; known keys are {', '.join(known)}.")
        shares = plain.get("shares_pct", ())
        if not isinstance(shares, list | tuple):
            raise BadInput(f"shares_pct is {shares!r}; give a list of per cents, such as [50, 80, 95].")
        return cls(**plain)


def _check(name: str, value: object, least: float, most: float) -> None:
    whole = name.endswith("_seconds")
    is_number = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        unit = "s" if whole else "%"
        raise BadInput(
            f"{name} is {value!r}; give {'whole seconds' if whole else 'a number'} {least} to {most} {unit}."
        )
