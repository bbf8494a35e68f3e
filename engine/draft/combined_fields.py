"""What is wrong with a draft's fields together although each alone is right, and what is most likely not meant."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from engine.draft.fault_draft import FaultDraft
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.faults.fitting import check_fits
from engine.figure_text import capitalised, listed
from engine.plan.load.checks import LOADS
from engine.plan.load.profile import LoadProfile
from engine.plan.parameters import of_stores
from engine.plan.plan import RunPlan
from engine.plan.workloads import usable_workloads
from engine.target.kinds import kind_facts
from engine.target.target import Target
from engine.workload.registry import find_workload
from engine.workload.workload import Workload


class Draft(Protocol):
    """What is read of an ``engine.draft.plan_draft.PlanDraft``."""

    targets: list[TargetDraft]
    workload: str
    typed: dict[str, str]
    faults: list[FaultDraft]

    def plan_of(self, *keys: str) -> RunPlan: ...

    def profile(self) -> LoadProfile | None: ...

    def minutes(self) -> float: ...

    def paced_by(self) -> str: ...


def with_combined_errors(draft: Draft, errors: Mapping[str, str]) -> dict[str, str]:
    """The ``errors`` of a draft's single fields, and those of its fields together, each by the path of a field."""
    found = dict(errors)
    for wrong in (_unsuited, _too_many, _wrong_load, _too_late, _unfit):
        found |= wrong(draft, found)
    return found


def same_store_warnings(targets: Mapping[int, Target], workload: Workload) -> list[str]:
    """A sentence for each database, or other place of a workload's stores, that is several of the numbered targets."""
    one, users = workload.wording.stores[0], workload.wording.who[1]
    clients = of_stores(workload)["clients"].label
    numbers: dict[Target, list[int]] = {}
    for number, target in targets.items():
        numbers.setdefault(target.with_label(""), []).append(number)
    return [
        f"Targets {listed([str(number) for number in same])} are the same {one}, which then gets the {users} of"
        f" {'both' if len(same) == 2 else 'all'}. For more {users} on one {one}, use {clients}."
        for same in numbers.values()
        if len(same) > 1
    ]


def _unsuited(draft: Draft, _errors: Mapping[str, str]) -> dict[str, str]:
    """The targets that the workload can't be run on: the kind of each gets a sentence with the workloads that can."""
    unsuited: dict[str, str] = {}
    workload = find_workload(draft.workload)
    for number, target in enumerate(draft.targets):
        subject = kind_facts(target.kind).subject
        if subject is not workload.subject:
            titles = " or ".join(each.title for each in usable_workloads() if each.subject is subject)
            unsuited[f"targets.{number}.kind"] = (
                f"Workload {workload.title} runs on {workload.subject.several}, and this target is {subject.one};"
                f" choose workload {titles} on the page {workload.wording.page}, or another kind."
            )
    return unsuited


def _too_many(draft: Draft, errors: Mapping[str, str]) -> dict[str, str]:
    """What is wrong although each field alone is right: the first field that is one too many gets the sentence."""
    names = ("targets", "databases", "clients", "further_loads", "load_machines")
    wrong = [name for name in names if any(path.split(".")[0] == name for path in errors)]
    right = names[: names.index(wrong[0])] if wrong else names
    if not _refusal(draft, right):
        return {}
    for number, name in enumerate(right, start=1):
        if refusal := _refusal(draft, right[:number]):
            return {name: refusal}
    return {}


def _refusal(draft: Draft, names: Sequence[str]) -> str:
    """Why there is no plan with these fields; empty where there is one."""
    try:
        draft.plan_of(*(name for name in names if name != "targets"))
    except BadInput as error:
        return capitalised(str(error))
    return ""


def _wrong_load(draft: Draft, errors: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with the stages or the rate although each field alone is right."""
    key = draft.paced_by()
    if key and not errors:
        try:
            draft.profile()
        except BadInput as error:
            return {key: capitalised(str(error))}
    return {}


def _too_late(draft: Draft, errors: Mapping[str, str]) -> dict[str, str]:
    """The faults that are right in themselves, but come after the measuring phase has ended."""
    late: dict[str, str] = {}
    for number, fault in enumerate(draft.faults):
        if errors.keys() & {"minutes", *LOADS} or fault.validate():
            continue
        try:
            RunPlan(minutes=draft.minutes(), faults=(planned := fault.fault(),))
        except BadInput as error:
            said = str(error).removeprefix(f"fault '{planned.label}' ")  # what shows it names the fault
            late[f"faults.{number}.at"] = f"It {said}"
    return late


def _unfit(draft: Draft, errors: Mapping[str, str]) -> dict[str, str]:
    """The faults that are right in themselves, but do something to a target that the plan does not have."""
    unfit: dict[str, str] = {}
    if not draft.faults or any(path.split(".")[0] in ("targets", "databases", "further_loads") for path in errors):
        return unfit
    stores = draft.plan_of("databases", "further_loads").stores()
    for number, fault in enumerate(draft.faults):
        if fault.validate():
            continue
        try:
            check_fits(fault.fault(), stores)
        except BadInput as error:
            unfit[f"faults.{number}.done.kind"] = capitalised(str(error))
    return unfit
