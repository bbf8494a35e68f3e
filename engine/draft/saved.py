"""What the user has saved under names of their own, for later plans: loads, and targets as they were typed.

Called by the wizard and by the settings, which keep it as plain values. No password is part of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.plan.databases import example_target
from engine.plan.load.checks import LOADS
from engine.plan.parameters import described
from engine.plan.plan import RunPlan
from engine.plan.presets import Preset, load_keys, presets_of
from engine.workload.registry import DVD_STORE, find_workload

_DESCRIBES = "a preset of your own"


@dataclass(frozen=True)
class SavedTarget:
    """A target under a name; ``target`` is never edited in place."""

    name: str
    target: TargetDraft


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Saved = TypeVar("Saved", bound=_Named)


def own_preset(name: str, load: Mapping[str, Any], workload: str = DVD_STORE) -> Preset:
    """A preset of the user's own; raises ``BadInput`` for values that no plan can have.

    Earlier versions did not know stages and rates: where none are given, there are none. Whether these fit a plan
    depends on its clients, which are no part of a preset.
    """
    parameters = described(find_workload(workload))
    given = {key: parameters[key].default for key in (*LOADS, "arrivals")} | dict(load)
    values = {key: parameters[key].checked(given[key]) for key in load_keys(workload)}
    others = {key: value for key, value in values.items() if key not in LOADS}
    Preset(name, _DESCRIBES, others, workload).apply(RunPlan(targets=(example_target(workload),), workload=workload))
    return Preset(name, _DESCRIBES, values, workload)


def with_saved(entries: Iterable[Saved], new: Saved) -> list[Saved]:
    """The entries in the order of their names, the new one instead of one of the same name."""
    others = [each for each in entries if each.name.casefold() != new.name.casefold()]
    return sorted([*others, new], key=lambda each: each.name.casefold())


def without(entries: Iterable[Saved], name: str) -> list[Saved]:
    return [each for each in entries if each.name != name]


def presets_from(plain: Iterable[Any]) -> list[Preset]:
    """The presets that were kept; what can't be used any more is left out."""
    presets: list[Preset] = []
    for each in plain:
        try:
            preset = own_preset(str(each["name"]), each["values"], each.get("workload", DVD_STORE))
        except (BadInput, KeyError, TypeError, AttributeError):
            continue
        reserved = {shipped.name for shipped in presets_of(preset.workload)}
        if preset.name and preset.name not in reserved:
            same = [each for each in presets if each.workload == preset.workload]
            presets = with_presets(presets, preset.workload, with_saved(same, preset))
    return presets


def with_presets(presets: Iterable[Preset], workload: str, own: Iterable[Preset]) -> list[Preset]:
    """The presets, those of this workload replaced; a name may be used once for each workload."""
    return [*(each for each in presets if each.workload != workload), *own]


def presets_to(presets: Sequence[Preset]) -> list[dict[str, Any]]:
    return [{"name": each.name, "workload": each.workload, "values": _plain(each)} for each in presets]


def _plain(preset: Preset) -> dict[str, Any]:
    """The values for JSON, without what is left open."""
    parameters = described(find_workload(preset.workload))
    plain = {key: parameters[key].plain(value) for key, value in preset.values.items()}
    return {key: value for key, value in plain.items() if value is not None}


def targets_from(plain: Iterable[Any]) -> list[SavedTarget]:
    """The targets that were kept; what can't be used any more is left out."""
    targets: list[SavedTarget] = []
    for each in plain:
        if isinstance(each, Mapping) and isinstance(each.get("target"), Mapping) and each.get("name"):
            targets = with_saved(targets, SavedTarget(str(each["name"]), TargetDraft.from_dict(each["target"])))
    return targets


def targets_to(targets: Sequence[SavedTarget]) -> list[dict[str, Any]]:
    return [{"name": each.name, "target": each.target.to_dict()} for each in targets]


def renamed(entries: Iterable[Any], name: str, new_name: str) -> list[Any]:
    """The entries with another name for one of them."""
    entries = list(entries)
    found = next((each for each in entries if each.name == name), None)
    return entries if found is None else with_saved(without(entries, name), replace(found, name=new_name))
