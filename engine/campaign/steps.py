"""The steps of a campaign as plain values, each checked when it is made; ``engine.campaign.step_dicts`` reads them.

Everything raises ``BadInput`` that begins with the field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from engine.analysis.verdicts.comparison import Comparison
from engine.campaign.conditions import Condition, in_words
from engine.errors import BadInput
from engine.faults.injections import Injection
from engine.faults.sentences import injection_sentence
from engine.figure_text import planned_length
from engine.parameters.typed_text import checked_duration
from engine.plan.plan import RunPlan

MOST_ROUNDS = 1_000
MOST_POINTS = 1_000
_LONGEST_SECONDS = 7 * 86_400.0


class StepKind(StrEnum):
    """What a step does; the values are stored, and are the words of campaign files."""

    RESET = "reset"
    ACT = "act"
    WAIT = "wait"
    IDLE = "idle"
    RUN = "run"
    CYCLE = "cycle"
    SWEEP = "sweep"
    SEARCH = "search"


class OnFailure(StrEnum):
    """What a campaign does when a step fails: stop, leave out the rest of its round, or go on with the next step."""

    STOP = "stop"
    SKIP = "skip"
    CONTINUE = "continue"


class ResetFrom(StrEnum):
    """How stores are reset: as each can, or only from the backup of the store as built."""

    ANY = "any"
    BACKUP = "backup"


def check_rounds(value: object, name: str = "repeat") -> None:
    """Raise ``BadInput`` for a number of repetitions that is none."""
    if type(value) is not int or not 1 <= value <= MOST_ROUNDS:
        raise BadInput(f"{name} is {value!r}; give a whole number from 1 to {MOST_ROUNDS}.")


@dataclass(frozen=True, kw_only=True)
class ResetStep:
    """All stores of the plan are taken back to what was built."""

    kind: ClassVar = StepKind.RESET
    source: ResetFrom = ResetFrom.ANY
    on_failure: OnFailure = OnFailure.STOP

    @property
    def sentence(self) -> str:
        return "Reset the stores" + (" from their backups" if self.source is ResetFrom.BACKUP else "")


@dataclass(frozen=True, kw_only=True)
class ActStep:
    """What an injection does, outside a run: a command here or over SSH, SQL, a management controller, the lab."""

    kind: ClassVar = StepKind.ACT
    injection: Injection
    on_failure: OnFailure = OnFailure.STOP

    @property
    def sentence(self) -> str:
        return injection_sentence(self.injection).rstrip(".")


@dataclass(frozen=True, kw_only=True)
class WaitStep:
    """Wait until a condition is met; ``on_failure`` is for when it is not by the deadline."""

    kind: ClassVar = StepKind.WAIT
    condition: Condition
    deadline_seconds: float = 600.0
    on_failure: OnFailure = OnFailure.STOP

    def __post_init__(self) -> None:
        seconds = checked_duration("deadline_seconds", self.deadline_seconds, least=1, most=_LONGEST_SECONDS)
        object.__setattr__(self, "deadline_seconds", seconds)

    @property
    def sentence(self) -> str:
        return f"Wait for {in_words(self.condition)}, at most {planned_length(self.deadline_seconds)}"


@dataclass(frozen=True, kw_only=True)
class IdleStep:
    """Do nothing for so long; ``watts_of`` are the machines whose idle watts are measured meanwhile."""

    kind: ClassVar = StepKind.IDLE
    minutes: float
    watts_of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        minutes = self.minutes
        if (
            isinstance(minutes, bool)
            or not isinstance(minutes, int | float)
            or not 0 < minutes <= _LONGEST_SECONDS / 60
        ):
            raise BadInput(f"minutes is {minutes!r}; give a number above 0, at most {_LONGEST_SECONDS / 60:g}.")
        object.__setattr__(self, "minutes", float(minutes))

    @property
    def seconds(self) -> float:
        return round(self.minutes * 60, 3)

    @property
    def sentence(self) -> str:
        idle = f"Idle for {planned_length(self.seconds)}"
        return f"{idle}, and measure the watts of {' and '.join(self.watts_of)}" if self.watts_of else idle


@dataclass(frozen=True, kw_only=True)
class RunStep:
    """A run, or ``repeat`` of them as a set: of the campaign's plan or its own, with some values of it changed."""

    kind: ClassVar = StepKind.RUN
    plan: RunPlan | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    repeat: int = 1
    on_failure: OnFailure = OnFailure.STOP

    def __post_init__(self) -> None:
        check_rounds(self.repeat)

    @property
    def sentence(self) -> str:
        return "Run"


LeafStep = ResetStep | ActStep | WaitStep | IdleStep | RunStep
ONE_RUN: tuple[LeafStep, ...] = (RunStep(),)


@dataclass(frozen=True, kw_only=True)
class CycleStep:
    """Steps that are done ``repeat`` times, one round after the other; the runs of all rounds are one set."""

    kind: ClassVar = StepKind.CYCLE
    steps: tuple[LeafStep, ...]
    repeat: int = 1

    def __post_init__(self) -> None:
        check_rounds(self.repeat)
        _check_steps(self.steps)

    @property
    def sentence(self) -> str:
        return f"Cycle of {len(self.steps)} steps, {self.repeat} times"


@dataclass(frozen=True, kw_only=True)
class SweepStep:
    """Steps that are done ``repeat`` times for each value of one field of the plan, or for each pair of two.

    Of two fields the first one changes least often. The runs of a point are one set.
    """

    kind: ClassVar = StepKind.SWEEP
    over: Mapping[str, tuple[Any, ...]]
    steps: tuple[LeafStep, ...] = ONE_RUN
    repeat: int = 1

    def __post_init__(self) -> None:
        check_rounds(self.repeat)
        _check_steps(self.steps, has_run=True)
        if not 1 <= len(self.over) <= 2:
            raise BadInput(f"over has {len(self.over)} fields; give one or two, such as databases = [4, 8, 24].")
        for name, values in self.over.items():
            if not values:
                raise BadInput(f"over.{name} is empty; give its values, such as [4, 8, 24].")
            if len(set(map(repr, values))) < len(values):
                raise BadInput(f"over.{name} has a value twice; give each once.")
        if len(self.points) > MOST_POINTS:
            raise BadInput(f"over has {len(self.points)} points; give values for at most {MOST_POINTS}.")

    @property
    def points(self) -> tuple[dict[str, Any], ...]:
        """The values of each point, in the order in which they are measured."""
        found: list[dict[str, Any]] = [{}]
        for name, values in self.over.items():
            found = [{**point, name: value} for point in found for value in values]
        return tuple(found)

    @property
    def sentence(self) -> str:
        return "Sweep over " + " and ".join(self.over)


@dataclass(frozen=True, kw_only=True)
class SearchStep:
    """The search for the highest value of a field, from ``least`` to ``most``, at which all criteria hold.

    Values are ``least`` and so many times ``resolution`` more. A point is measured as one of a sweep is, and again, up
    to ``tries`` times in all, when it can't be judged.
    """

    kind: ClassVar = StepKind.SEARCH
    field: str
    least: float
    most: float
    criteria: tuple[Comparison, ...]
    resolution: float = 1
    steps: tuple[LeafStep, ...] = ONE_RUN
    repeat: int = 1
    tries: int = 1

    def __post_init__(self) -> None:
        check_rounds(self.repeat)
        check_rounds(self.tries, "tries")
        _check_steps(self.steps, has_run=True)
        if not self.criteria:
            raise BadInput('hold is empty; give what has to hold, such as ["p95 <= 20 ms"].')
        for name, value in (("from", self.least), ("to", self.most), ("resolution", self.resolution)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise BadInput(f"{name} is {value!r}; give a number.")
        if not self.resolution > 0:
            raise BadInput(f"resolution is {self.resolution:g}; give a number above 0.")
        if not self.least < self.most:
            raise BadInput(f"to is {self.most:g}, and from is {self.least:g}; give a higher number than from.")

    @property
    def sentence(self) -> str:
        held = " and ".join(each.text for each in self.criteria)
        return f"Search for the highest {self.field} from {self.least:g} to {self.most:g} with {held}"


GroupStep = CycleStep | SweepStep | SearchStep
Step = LeafStep | GroupStep


def leaves_of(step: Step) -> tuple[LeafStep, ...]:
    """The steps within a group; of any other the step itself."""
    return step.steps if isinstance(step, CycleStep | SweepStep | SearchStep) else (step,)


def _check_steps(steps: tuple[LeafStep, ...], *, has_run: bool = False) -> None:
    if not steps:
        raise BadInput("steps is empty; give at least one.")
    if has_run and not any(step.kind is StepKind.RUN for step in steps):
        raise BadInput('steps has no run, so that nothing would be measured; add one of kind = "run".')
