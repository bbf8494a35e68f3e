"""The plan of a campaign: its name, the plan of its runs, and its steps; all of it checked before anything begins."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from engine.campaign.criteria import Criterion, criterion_of
from engine.campaign.fields import field_of, plan_with
from engine.campaign.step_dicts import ReadPlan, step_to_dict, steps_from
from engine.campaign.steps import CycleStep, LeafStep, RunStep, SearchStep, Step, SweepStep, leaves_of
from engine.errors import BadInput
from engine.figure_text import counted
from engine.parameters.parameter import Whole, did_you_mean
from engine.plan.plan import RunPlan

FORMAT_VERSION = 1
_KEYS = ("name", "note", "plan", "configuration", "steps", "format_version")


@dataclass(frozen=True, kw_only=True)
class CampaignPlan:
    """What a campaign does. ``plan`` is that of the runs that have none of their own.

    ``configuration`` names the hardware that the runs are measured on; empty when it is not recorded. Raises
    ``BadInput`` that names the step, the field, the value and the remedy.
    """

    name: str
    steps: tuple[Step, ...]
    plan: RunPlan
    note: str = ""
    configuration: str = ""

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.name.isprintable():
            raise BadInput(f"name is {self.name!r}; give the campaign a printable name.")
        if not self.steps:
            raise BadInput("the campaign has no steps; give at least one under [[steps]].")
        for number, step in enumerate(self.steps, start=1):
            try:
                self._check(step)
            except BadInput as error:
                raise BadInput(f"step {number} ({step.kind}): {error.cause}", remedy=error.remedy) from error

    @property
    def size(self) -> str:
        """How many steps it has, those of cycles, sweeps and searches in the place of these: ``4 steps``."""
        return counted(sum(len(leaves_of(step)) for step in self.steps), "step")

    def to_dict(self) -> dict[str, Any]:
        """The campaign as plain values for JSON and TOML; ``from_dict`` reads it back."""
        texts = {"name": self.name, "note": self.note, "configuration": self.configuration}
        return {
            **{key: text for key, text in texts.items() if text},
            "plan": self.plan.to_dict(),
            "steps": [step_to_dict(step) for step in self.steps],
            "format_version": FORMAT_VERSION,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], read_plan: ReadPlan | None = None) -> Self:
        """Read a campaign; ``read_plan`` reads the plans in it. Raises ``BadInput``."""
        read = read_plan or plan_from_table
        for key in plain:
            if key not in _KEYS:
                raise BadInput(f"campaign key '{key}' is not known; {did_you_mean(str(key), _KEYS)}.")
        for key in ("name", "steps"):
            if key not in plain:
                raise BadInput(f"the campaign has no {key}; give it one.")
        if plain.get("format_version", FORMAT_VERSION) != FORMAT_VERSION:
            raise BadInput(
                f"format_version is {plain['format_version']!r}; this version of Spindle reads {FORMAT_VERSION}; use a"
                " newer version."
            )
        texts = {key: _text(key, plain[key]) for key in ("name", "note", "configuration") if key in plain}
        return cls(plan=read(plain.get("plan", {})), steps=steps_from(plain["steps"], read), **texts)

    def leaves(self) -> Iterator[tuple[int, LeafStep, RunPlan]]:
        """What is done, in order: the number of each step, what it does, and each plan that it does that with.

        Of a search these are the plans of its lowest and its highest value.
        """
        for number, step in enumerate(self.steps, start=1):
            match step:
                case SweepStep():
                    points = step.points
                case SearchStep():
                    points = tuple(
                        {step.field: point_value(self.plan, step, value)} for value in (step.least, step.most)
                    )
                case _:
                    points = ({},)
            for point in points:
                for leaf in leaves_of(step):
                    yield number, leaf, plan_of(self.plan, leaf, point)

    def criteria_of(self, step: SearchStep) -> tuple[Criterion, ...]:
        """What has to hold at the points of a search, in the figures of its runs; raises ``BadInput``."""
        plan = next(each.plan or self.plan for each in step.steps if isinstance(each, RunStep))
        return tuple(criterion_of(each, *(load.workload for load in plan.loads)) for each in step.criteria)

    def _check(self, step: Step) -> None:
        match step:
            case SweepStep():
                for name, values in step.over.items():
                    known = field_of(self.plan, name)
                    for value in values:
                        known.checked(value)
                for point in step.points:
                    self._check_leaves(step.steps, point)
            case SearchStep():
                self._check_search(step)
            case CycleStep():
                self._check_leaves(step.steps, {})
            case _:
                self._check_leaves((step,), {})

    def _check_leaves(self, steps: tuple[LeafStep, ...], point: Mapping[str, Any]) -> None:
        """Every run needs a plan that is valid at the point, and that ends by itself."""
        for step in steps:
            plan = plan_of(self.plan, step, point)
            if isinstance(step, RunStep) and not plan.measured_seconds:
                raise BadInput("minutes is 0 in the plan, which runs until it is stopped; give the plan minutes.")

    def _check_search(self, step: SearchStep) -> None:
        known = field_of(self.plan, step.field)
        if not known.type.is_number:
            raise BadInput(f"field is '{step.field}', which is not a number; search for one, such as threads.")
        if isinstance(known.type, Whole) and step.resolution != int(step.resolution):
            raise BadInput(
                f"resolution is {step.resolution:g}, and {step.field} is a whole number; give a whole number."
            )
        for value in (step.least, step.most):
            self._check_leaves(step.steps, {step.field: known.checked(value)})
        self.criteria_of(step)


def plan_of(plan: RunPlan, step: LeafStep, point: Mapping[str, Any]) -> RunPlan:
    """The plan that a step works on at a point of a sweep or search; raises ``BadInput``."""
    if isinstance(step, RunStep):
        plan = plan_with(step.plan or plan, step.values)
    return plan_with(plan, point)


def point_value(plan: RunPlan, step: SearchStep, value: float) -> Any:
    """A value of a search as the field has it: a whole number for a field of whole numbers."""
    return int(value) if isinstance(field_of(plan, step.field).type, Whole) else float(value)


def plan_from_table(given: object) -> RunPlan:
    """The plan in a table; raises ``BadInput``."""
    if not isinstance(given, Mapping):
        raise BadInput(f"plan is {given!r}; give a table.")
    return RunPlan.from_dict(given)


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{key} is {value!r}; give a text in quotes.")
    return value
