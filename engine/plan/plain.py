"""The parts of a plan as plain values for JSON and TOML, and back."""

from collections.abc import Mapping
from typing import Any

from engine.errors import BadInput
from engine.faults.fault_text import parse_fault
from engine.faults.planned import PlannedFault
from engine.parameters.parameter import Text, did_you_mean
from engine.target.target import Target
from engine.workload.workload import Workload

FORMAT_VERSION = 2
"""Of a plan's plain values. In version 1, DVD Store's parameters stand among those of every plan; it is read, too."""
LEFT_OUT_WHEN_EMPTY = ("load_machines", "machines", "server_waits", "storage_probes", "faults")
"""Keys that a plan without them does not have: it stays readable for a Spindle that knows none of them."""


def own_parameters(workload: Workload, values: dict[str, Any]) -> dict[str, Any]:
    """Take the workload's parameters out of a plan's values: from their table, and, as in version 1, from beside it."""
    own = values.pop("parameters", {})
    if not isinstance(own, Mapping):
        raise BadInput(f"parameters is {own!r}; give a table, such as [parameters].")
    beside = {key: values.pop(key) for key in workload.keys if key in values}
    for key in beside:
        if key in own:
            raise BadInput(f"{key} is given twice, among the parameters and beside them; give it once.")
    return {**own, **beside}


def list_of(key: str, value: Any) -> list[Any]:
    """The value as a list; a wrong one is not repeated, since a target's URL may hold a password."""
    if not isinstance(value, list | tuple):
        raise BadInput(f"{key} is not a list; give a list in square brackets.")
    return list(value)


def target_to_dict(target: Target) -> dict[str, str]:
    return {"url": target.url, **({"label": target.label} if target.label else {})}


def target_from_dict(plain: Any) -> Target:
    """A target in a plan is a URL, or a table of ``url`` and ``label``; a password in it is refused: plans are kept."""
    entry = {"url": plain} if isinstance(plain, str) else plain
    if not isinstance(entry, Mapping) or not isinstance(entry.get("url"), str):
        raise BadInput('each of the plan\'s targets needs a url, such as url = "postgresql://user@host/ds2".')
    for key in entry:
        if key not in ("url", "label"):
            raise BadInput(f"target key '{key}' is not known; {did_you_mean(key, ('url', 'label'))}.")
    target, password = Target.parse(entry["url"])
    if password is not None:
        raise BadInput(
            f"the plan's target {target.url} contains a password; remove it and use SPINDLE_PASSWORD or the keyring."
        )
    return target.with_label(Text().checked("label", entry.get("label", "")))


def fault_from(plain: Any) -> PlannedFault:
    """A fault in a plan is a table, or the text that ``--fault`` takes."""
    return parse_fault(plain) if isinstance(plain, str) else PlannedFault.from_dict(plain)


def check_version(version: object) -> None:
    if isinstance(version, bool) or version not in range(1, FORMAT_VERSION + 1):
        raise BadInput(
            f"format_version is {version!r}; this version of Spindle reads up to {FORMAT_VERSION}; use a newer version."
        )


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
