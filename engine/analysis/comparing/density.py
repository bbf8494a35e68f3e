"""Density: the largest number of targets on a host for which a run meets a service level.

Called by comparisons and reports. A step is a run, or the median run of a set, with a number of targets.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.errors import BadInput


class ResponseTime(StrEnum):
    """The response time that a service level limits; the value is its name in a run's totals."""

    MEAN = "mean"
    P95 = "p95"

    @property
    def label(self) -> str:
        return "mean response time" if self is ResponseTime.MEAN else "p95 response time"


@dataclass(frozen=True, kw_only=True)
class ServiceLevel:
    """A lower limit for the average headline rate per target, an upper one for a response time, or both.

    Raises ``BadInput`` when neither is given, or one is not above 0.
    """

    headline_rate_per_target: float | None = None
    response_ms: float | None = None
    response: ResponseTime = ResponseTime.P95

    def __post_init__(self) -> None:
        if self.headline_rate_per_target is None and self.response_ms is None:
            raise BadInput("the service level is empty; give a rate per target, a response time in ms, or both.")
        for name, value in (("rate per target", self.headline_rate_per_target), ("response time", self.response_ms)):
            if value is not None and not 0 < value < float("inf"):
                raise BadInput(f"the service level's {name} is {value:g}; give a number above 0.")


@dataclass(frozen=True, kw_only=True)
class DensityStep:
    """A run with ``targets`` targets: its total headline rate and its response times in ms; ``None`` is unknown."""

    name: str
    targets: int
    headline_rate: float | None
    mean_ms: float | None = None
    p95_ms: float | None = None


@dataclass(frozen=True, kw_only=True)
class StepLevel:
    """The level that a step reached.

    ``holds`` is ``None`` when a needed figure is unknown; ``missed`` says what was missed or is unknown, and is empty
    where the level is met.
    """

    step: DensityStep
    headline_rate_per_target: float | None
    response_ms: float | None
    holds: bool | None
    missed: str


@dataclass(frozen=True, kw_only=True)
class Density:
    """The steps from the fewest targets to the most, and the largest number of targets that meets the level; ``None``
    when none does."""

    level: ServiceLevel
    steps: tuple[StepLevel, ...]
    most_targets: int | None
    sentence: str


def density(level: ServiceLevel, steps: Sequence[DensityStep], label: str) -> Density:
    """How many targets meet the level; ``label`` is the short name of the headline metric.

    Raises ``BadInput`` for a step without targets and for two with the same number of targets.
    """
    _check(steps)
    reached = tuple(_reached(level, step, label) for step in sorted(steps, key=lambda step: step.targets))
    holding = [each.step.targets for each in reached if each.holds]
    return Density(level=level, steps=reached, most_targets=max(holding, default=None), sentence=_sentence(reached))


def _check(steps: Sequence[DensityStep]) -> None:
    for step in steps:
        if step.targets < 1:
            raise BadInput(f"step '{step.name}' has {step.targets} targets; give a number from 1.")
    for targets, times in Counter(step.targets for step in steps).items():
        if times > 1:
            raise BadInput(f"{times} steps have {targets} targets; give one for each number, such as a set's median.")


def _reached(level: ServiceLevel, step: DensityStep, label: str) -> StepLevel:
    headline_rate_per_target = None if step.headline_rate is None else step.headline_rate / step.targets
    response_ms = step.mean_ms if level.response is ResponseTime.MEAN else step.p95_ms
    bounds = ((headline_rate_per_target, level.headline_rate_per_target), (response_ms, level.response_ms))
    too_little = _is_under(headline_rate_per_target, level.headline_rate_per_target)
    too_slow = _is_under(level.response_ms, response_ms)
    is_known = all(value is not None for value, bound in bounds if bound is not None)
    return StepLevel(
        step=step,
        headline_rate_per_target=headline_rate_per_target,
        response_ms=response_ms,
        holds=False if too_little or too_slow else True if is_known else None,
        missed=", ".join(_missed(level, label, headline_rate_per_target, response_ms)),
    )


def _missed(
    level: ServiceLevel, label: str, headline_rate_per_target: float | None, response_ms: float | None
) -> Iterator[str]:
    if level.headline_rate_per_target is not None and headline_rate_per_target is None:
        yield f"{label} is not known"
    if _is_under(headline_rate_per_target, level.headline_rate_per_target):
        yield f"{label} per target is under {level.headline_rate_per_target:.10g}"
    if level.response_ms is not None and response_ms is None:
        yield f"{level.response.label} is not known"
    if _is_under(level.response_ms, response_ms):
        yield f"{level.response.label} is over {level.response_ms:.10g} ms"


def _is_under(value: float | None, bound: float | None) -> bool:
    """Whether both values are known and the first is below the second."""
    return value is not None and bound is not None and value < bound


def _sentence(steps: Sequence[StepLevel]) -> str:
    holding = [each.step.targets for each in steps if each.holds]
    if not steps:
        return "There is no step to judge."
    if not holding:
        return "No step holds the service level."
    most = max(holding)
    fewer = [str(each.step.targets) for each in steps if not each.holds and each.step.targets < most]
    beside = f", though {' and '.join(fewer)} did not hold it or could not be judged" if fewer else ""
    unit = "target holds" if most == 1 else "targets hold"
    return f"{most} {unit} the service level{beside}."
