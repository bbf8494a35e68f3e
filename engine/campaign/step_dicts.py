"""Steps of campaigns as plain values for TOML and JSON, and back.

Everything raises ``BadInput`` that names an unknown key and the nearest known one, a missing one, or a wrong value.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine.campaign.conditions import parse_condition
from engine.campaign.criteria import parse_criterion
from engine.campaign.steps import (
    ONE_RUN,
    ActStep,
    CycleStep,
    GroupStep,
    IdleStep,
    LeafStep,
    OnFailure,
    ResetFrom,
    ResetStep,
    RunStep,
    SearchStep,
    Step,
    StepKind,
    SweepStep,
    WaitStep,
)
from engine.errors import BadInput
from engine.faults.injection_text import parse_injection
from engine.faults.injections import Injection, injection_from_dict, injection_to_dict
from engine.parameters.parameter import did_you_mean
from engine.plan.plan import RunPlan

ReadPlan = Callable[[object], RunPlan]
"""Reads the plan that a step gives: a table, or in a file the name of a plan file."""

_KEYS: Mapping[StepKind, tuple[str, ...]] = {
    StepKind.RESET: ("from", "at_failure"),
    StepKind.ACT: ("do", "at_failure"),
    StepKind.WAIT: ("for", "deadline_seconds", "at_deadline"),
    StepKind.IDLE: ("minutes", "watts_of"),
    StepKind.RUN: ("plan", "with", "repeat", "at_failure"),
    StepKind.CYCLE: ("repeat", "steps"),
    StepKind.SWEEP: ("over", "repeat", "steps"),
    StepKind.SEARCH: ("field", "from", "to", "resolution", "hold", "repeat", "tries", "steps"),
}
_NEEDED: Mapping[StepKind, tuple[str, ...]] = {
    StepKind.ACT: ("do",),
    StepKind.WAIT: ("for",),
    StepKind.IDLE: ("minutes",),
    StepKind.CYCLE: ("steps",),
    StepKind.SWEEP: ("over",),
    StepKind.SEARCH: ("field", "from", "to", "hold"),
}
_GROUPS = (StepKind.CYCLE, StepKind.SWEEP, StepKind.SEARCH)


def steps_from(plain: object, read_plan: ReadPlan) -> tuple[Step, ...]:
    """The steps of a campaign, in order; the error names the number and kind of the step."""
    return tuple(_numbered(number, each, read_plan, "") for number, each in enumerate(_tables("steps", plain), start=1))


def step_to_dict(step: Step) -> dict[str, Any]:
    """The step as plain values, without what has its default; ``steps_from`` reads it back."""
    plain: dict[str, Any] = {"kind": step.kind.value}
    if isinstance(step, CycleStep | SweepStep | SearchStep):
        plain |= _group_values(step) | {"steps": [step_to_dict(each) for each in step.steps]}
    else:
        plain |= _leaf_values(step)
    if isinstance(step, RunStep | CycleStep | SweepStep | SearchStep):
        plain |= _unless_default("repeat", step.repeat, 1)
    if isinstance(step, ResetStep | ActStep | WaitStep | RunStep):
        key = "at_deadline" if isinstance(step, WaitStep) else "at_failure"
        plain |= _unless_default(key, step.on_failure.value, OnFailure.STOP.value)
    return plain


def _leaf_values(step: LeafStep) -> dict[str, Any]:
    match step:
        case ResetStep():
            return _unless_default("from", step.source.value, ResetFrom.ANY.value)
        case ActStep():
            return {"do": injection_to_dict(step.injection)}
        case WaitStep():
            return {"for": step.condition.text, "deadline_seconds": step.deadline_seconds}
        case IdleStep():
            return {"minutes": step.minutes} | _unless_default("watts_of", list(step.watts_of), [])
        case RunStep():
            plan = {} if step.plan is None else {"plan": step.plan.to_dict()}
            return plan | _unless_default("with", _plain_values(step.values), {})


def _group_values(step: GroupStep) -> dict[str, Any]:
    match step:
        case CycleStep():
            return {}
        case SweepStep():
            return {"over": {name: list(values) for name, values in step.over.items()}}
        case SearchStep():
            bounds = {"field": step.field, "from": step.least, "to": step.most, "resolution": step.resolution}
            return bounds | {"hold": [each.text for each in step.criteria], "tries": step.tries}


def _unless_default(key: str, value: Any, default: Any) -> dict[str, Any]:
    return {} if value == default else {key: value}


def _plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _numbered(number: int, plain: Mapping[str, Any], read_plan: ReadPlan, outer: str) -> Step:
    where = f"step {outer}{number}"
    try:
        kind = _kind(plain.get("kind"))
        where += f" ({kind})"
        return _step(kind, plain, read_plan, f"{outer}{number}.")
    except _InnerError as error:
        raise error if outer else BadInput(error.cause, remedy=error.remedy) from error
    except BadInput as error:
        raise _InnerError(f"{where}: {error.cause}", remedy=error.remedy) from error


class _InnerError(BadInput):
    """An error that names its step already."""


def _kind(given: object) -> StepKind:
    if given is None:
        raise BadInput(f"kind is missing; give one of {', '.join(StepKind)}.")
    try:
        return StepKind(str(given))
    except ValueError:
        raise BadInput(f"kind is '{given}'; {did_you_mean(str(given), tuple(StepKind), 'give one of')}.") from None


def _step(kind: StepKind, plain: Mapping[str, Any], read_plan: ReadPlan, inner: str) -> Step:
    is_inner = inner.count(".") > 1
    if is_inner and kind in _GROUPS:
        raise BadInput("steps nest one level only; take it out of the step around it.")
    for key in plain:
        if key not in ("kind", *_KEYS[kind]):
            raise BadInput(f"key '{key}' is not known; {did_you_mean(str(key), ('kind', *_KEYS[kind]))}.")
    for key in _NEEDED.get(kind, ()):
        if key not in plain:
            raise BadInput(f"{key} is missing; give it.")
    on_failure = _on_failure(kind, plain, is_inner=is_inner)
    if kind in _GROUPS:
        return _group(kind, plain, _inner(plain, read_plan, inner))
    return _leaf(kind, plain, read_plan, on_failure)


def _leaf(kind: StepKind, plain: Mapping[str, Any], read_plan: ReadPlan, on_failure: OnFailure) -> LeafStep:
    match kind:
        case StepKind.RESET:
            return ResetStep(source=_source(plain.get("from", ResetFrom.ANY)), on_failure=on_failure)
        case StepKind.ACT:
            return ActStep(injection=_injection(plain["do"]), on_failure=on_failure)
        case StepKind.WAIT:
            return WaitStep(
                condition=parse_condition(_text("for", plain["for"])),
                deadline_seconds=plain.get("deadline_seconds", 600.0),
                on_failure=on_failure,
            )
        case StepKind.IDLE:
            machines = _list("watts_of", plain.get("watts_of", []))
            return IdleStep(minutes=plain["minutes"], watts_of=tuple(_text("watts_of", each) for each in machines))
        case _:
            return RunStep(
                plan=read_plan(plain["plan"]) if "plan" in plain else None,
                values=_table("with", plain.get("with", {})),
                repeat=plain.get("repeat", 1),
                on_failure=on_failure,
            )


def _group(kind: StepKind, plain: Mapping[str, Any], steps: tuple[LeafStep, ...]) -> GroupStep:
    repeat = plain.get("repeat", 1)
    match kind:
        case StepKind.CYCLE:
            return CycleStep(steps=steps, repeat=repeat)
        case StepKind.SWEEP:
            over = {name: tuple(_list(f"over.{name}", each)) for name, each in _table("over", plain["over"]).items()}
            return SweepStep(over=over, steps=steps, repeat=repeat)
        case _:
            return SearchStep(
                field=_text("field", plain["field"]),
                least=plain["from"],
                most=plain["to"],
                criteria=tuple(parse_criterion(_text("hold", each)) for each in _list("hold", plain["hold"])),
                resolution=plain.get("resolution", 1),
                steps=steps,
                repeat=repeat,
                tries=plain.get("tries", 1),
            )


def _inner(plain: Mapping[str, Any], read_plan: ReadPlan, inner: str) -> tuple[LeafStep, ...]:
    if "steps" not in plain:
        return ONE_RUN
    found = [
        _numbered(number, each, read_plan, inner)
        for number, each in enumerate(_tables("steps", plain["steps"]), start=1)
    ]
    leaves = tuple(each for each in found if not isinstance(each, CycleStep | SweepStep | SearchStep))
    assert len(leaves) == len(found), "a group within a group was refused"
    return leaves


def _on_failure(kind: StepKind, plain: Mapping[str, Any], *, is_inner: bool) -> OnFailure:
    key = "at_deadline" if kind is StepKind.WAIT else "at_failure"
    given = plain.get(key, OnFailure.STOP)
    try:
        found = OnFailure(given)
    except ValueError:
        raise BadInput(f"{key} is {given!r}; give one of {', '.join(OnFailure)}.") from None
    if found is OnFailure.SKIP and not is_inner:
        raise BadInput(f"{key} is 'skip', which is for steps of a cycle, sweep or search; give stop or continue.")
    return found


def _source(given: object) -> ResetFrom:
    try:
        return ResetFrom(str(given))
    except ValueError:
        raise BadInput(f"from is {given!r}; give one of {', '.join(ResetFrom)}.") from None


def _injection(given: object) -> Injection:
    return parse_injection(given) if isinstance(given, str) else injection_from_dict(given)


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{key} is {value!r}; give a text in quotes.")
    return value


def _list(key: str, value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise BadInput(f"{key} is {value!r}; give a list in square brackets.")
    return list(value)


def _table(key: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise BadInput(f"{key} is {value!r}; give a table, such as {{databases = 8}}.")
    return dict(value)


def _tables(key: str, value: object) -> list[Mapping[str, Any]]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, Mapping) for each in value):
        raise BadInput(f"{key} is not a list of tables; write each under [[{key}]].")
    return list(value)
