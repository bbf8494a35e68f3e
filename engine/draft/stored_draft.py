"""The draft of a plan as plain values for JSON, as the application keeps it across restarts."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from engine.draft.fault_draft import FaultDraft
from engine.draft.layout_draft import LayoutDraft
from engine.draft.load_draft import LoadDraft
from engine.draft.plan_draft import PlanDraft
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.plan.presets import DEMONSTRATION
from engine.workload.registry import DVD_STORE, find_workload


def draft_to_dict(draft: PlanDraft) -> dict[str, Any]:
    """The fields as plain values; ``draft_from_dict`` reads them back. There is no password in them."""
    others = {name: value for name, value in vars(draft).items() if name != "typed"}
    return (
        draft.typed
        | others
        | {
            "targets": [target.to_dict() for target in draft.targets],
            "faults": [fault.to_dict() for fault in draft.faults],
            "layout": draft.layout.to_dict(),
            "further_loads": [load.to_dict() for load in draft.further_loads],
        }
    )


def draft_from_dict(plain: Mapping[str, Any]) -> PlanDraft:
    """Read a stored draft. What is missing or has another type gets its default, so that every file can be read."""
    draft = PlanDraft(workload=_known_workload(plain.get("workload")))
    _take_typed(draft, plain)
    if draft.typed["name"] == DEMONSTRATION.name:  # earlier versions stored it in every draft
        draft.typed["name"] = ""
    targets, faults = plain.get("targets"), plain.get("faults")
    if isinstance(targets, list):
        draft.targets = [TargetDraft.from_dict(each) for each in targets if isinstance(each, Mapping)]
    if isinstance(faults, list):
        draft.faults = [FaultDraft.from_dict(each) for each in faults if isinstance(each, Mapping)]
    if isinstance(plain.get("layout"), Mapping):
        draft.layout = LayoutDraft.from_dict(plain["layout"])
    if isinstance(plain.get("further_loads"), list):
        draft.further_loads = list(_loads_from(plain["further_loads"]))
    for name, kind in (("size_unit", str), ("reset", bool), ("audit", bool)):
        if isinstance(plain.get(name), kind):
            setattr(draft, name, plain[name])
    return draft


def _take_typed(draft: PlanDraft, plain: Mapping[str, Any]) -> None:
    """The texts of the parameters; those of an earlier version are converted to the parameters of today."""
    renewed = find_workload(draft.workload).renewed(plain)
    for key in draft.typed:
        kept = renewed.get(key)
        if isinstance(kept, str):
            draft.typed[key] = kept
        elif kept is not None and kept != plain.get(key):
            draft.typed[key] = draft.parameters[key].write(kept)


def _known_workload(kept: object) -> str:
    try:
        return find_workload(str(kept)).id
    except BadInput:
        return DVD_STORE


def _loads_from(plain: Iterable[Any]) -> Iterator[LoadDraft]:
    """The stored loads; one of a workload that is no longer known is left out."""
    for each in plain:
        if isinstance(each, Mapping):
            with suppress(BadInput):
                yield LoadDraft.from_dict(each)
