"""The options that choose a workload and set its parameters, for all workloads at once.

Workloads with a parameter of the same key share its option. What was typed is read as the parameter of the workload
that is run, once that is known (``fitted``).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import click

from app.cli.options import help_of, parameter_option
from engine.errors import BadInput
from engine.parameters.parameter import Choice, Flag, Number, Parameter, Whole
from engine.plan.parameters import described
from engine.plan.workloads import unusable_workloads, usable_workloads
from engine.workload.registry import DVD_STORE, find_workload, workload_ids

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Owned = tuple[str, Parameter]
"""A parameter, and the id of the workload that it is of."""


class _Typed(str):
    """What was typed for an option that workloads read differently."""


class _AsTyped(click.ParamType[_Typed, Any]):
    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> _Typed:
        return _Typed(value)


def plan_options(command: _Function) -> _Function:
    """The options of every plan's parameters, and of those of the workloads."""
    workloads = usable_workloads()
    owned = [(workload.id, each) for workload in workloads for each in workload.parameters]
    for key, parameter in reversed(described(*workloads).items()):
        owners = [each for each in owned if each[1].key == key]
        command = _shared_option(owners)(command) if owners else parameter_option(parameter)(command)
    return workload_option(command)


def scale_options(command: _Function) -> _Function:
    """The options that say how large the stores are that are to be built."""
    scales: dict[str, list[_Owned]] = {}
    for each in usable_workloads():
        small = each.scale.typed(each.small_scale)
        for parameter in each.scale.parameters:
            scale = replace(parameter, default_help=small[parameter.key])
            scales.setdefault(scale.key, []).append((each.id, scale))
    for owners in reversed(scales.values()):
        command = _shared_option(owners)(command)
    return command


def workload_option(command: _Function) -> _Function:
    """The option ``--workload``, as the parameter ``workload``; ``None`` when it is not given."""
    broken = unusable_workloads()
    known = ", ".join(each for each in workload_ids() if each not in broken)
    without = "".join(f" {name} can't be loaded." for name in broken)
    return click.option(
        "--workload",
        metavar="NAME",
        help=f"What is run: {known}.{without} [default: {DVD_STORE}]",
        shell_complete=_complete_workload,
    )(command)


def fitted(given: Mapping[str, Any], workload_id: str) -> dict[str, Any]:
    """The values that were given, by the keys of fields and parameters, as a plan of this workload takes them.

    Raises ``BadInput`` for the parameter of another workload, for a text that can't be read, and for a value that can't
    be used.
    """
    workload = find_workload(workload_id)
    own = {each.key: each for each in workload.parameters}
    for key in given.keys() - own.keys():
        owners = [(each.id, parameter) for each in usable_workloads() for parameter in each.parameters]
        others = {owner: parameter for owner, parameter in owners if parameter.key == key}
        if others:
            owner, parameter = next(iter(others.items()))
            option = f"--{parameter.option_name}"
            raise BadInput(
                f"{option} is {_shown(parameter, given[key])}, and workload {workload_id} has no such option; leave it"
                f" out, or give --workload {owner}."
            )
    values = {
        key: own[key].type.read(f"--{own[key].option_name}", value) if isinstance(value, _Typed) else value
        for key, value in given.items()
    }
    for key, parameter in described(workload).items():
        if key in values:
            parameter.checked(values[key], f"--{parameter.option_name}")
    return values


def _shown(parameter: Parameter, value: Any) -> str:
    return parameter.write(value) if isinstance(parameter.type, Flag) else str(value)


def _shared_option(owners: Sequence[_Owned]) -> Callable[[_Function], _Function]:
    """The option of a parameter that one or several workloads have."""
    parameters = [parameter for _, parameter in owners]
    first = parameters[0]
    spellings = _each_once(name for each in parameters for name in (each.option_name, *each.aliases))
    shared = replace(
        first,
        aliases=tuple(each for each in spellings if each != first.option_name),
        examples=_each_once(example for each in parameters for example in each.examples),
    )
    changes: dict[str, Any] = {"help": _help(owners)}
    kinds = {type(each.type) for each in parameters}
    if len(kinds) == 1:
        return parameter_option(shared, **changes)
    if Flag in kinds:
        changes |= {"is_flag": False, "flag_value": "yes"}  # the value may be left out
    metavar = "|".join(_each_once("yes" if type(each.type) is Flag else each.metavar for each in parameters))
    # Not a flag, so that it has no second spelling, and no list: any type reads a text.
    plain = replace(shared, type=next(each.type for each in parameters if type(each.type) is not Flag))
    return parameter_option(plain, **changes, type=_AsTyped(), multiple=False, metavar=metavar)


def _help(owners: Sequence[_Owned]) -> str:
    """What the help says: of each workload after its id, where it is not the same of all."""
    texts = {workload_id: f"{_range(parameter)}{help_of(parameter)}" for workload_id, parameter in owners}
    if len(set(texts.values())) == 1:
        return help_of(owners[0][1])
    return " ".join(f"With {workload_id}: {text}" for workload_id, text in texts.items())


def _range(parameter: Parameter) -> str:
    """What the values may be, as the beginning of a sentence; empty for texts and flags."""
    match parameter.type:
        case Whole(least, most) | Number(least, most):
            return f"{least:g} to {most:g}. "
        case Choice(texts):
            return f"{', '.join(texts)}. "
        case _:
            return ""


def _each_once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _complete_workload(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    return [each for each in workload_ids() if each.startswith(incomplete)]
