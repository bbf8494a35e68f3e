"""The whole plan as it is typed: kept as it stands, checked field by field, and made into a RunPlan when it is right.

The wizard edits one, the application keeps it across restarts.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Self

from engine.analysis.headline import headline_of
from engine.draft.combined_fields import same_store_warnings, with_combined_errors
from engine.draft.fault_draft import FaultDraft
from engine.draft.layout_draft import LayoutDraft
from engine.draft.load_draft import LoadDraft, kept_values
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.parameters.parameter import Parameter, Part
from engine.plan.databases import example_target, usual_database
from engine.plan.load.checks import LOADS, is_by_stages
from engine.plan.load.profile import LoadProfile
from engine.plan.naming import proposed_name
from engine.plan.parameters import COMMON, described
from engine.plan.plan import RunPlan
from engine.plan.presets import DEMONSTRATION, usual_load
from engine.target.kinds import kind_facts
from engine.target.store_layout import StoreLayout
from engine.target.target import EMBEDDED, MSSQL, Target
from engine.workload.registry import DVD_STORE, find_workload
from engine.workloads.bindings import is_on, layout_of

_OF_PROFILE = ("clients", "databases", "threads", "think_time_ms", "arrivals", *LOADS)
FURTHER_LOADS = "further_loads"
"""The name of the field, where fields are named."""
_TICKED = ("reset", "audit")


@dataclass
class PlanDraft:
    """What stands in the wizard's fields, right or wrong; as made, it is the demonstration.

    ``typed`` holds the text in the field of each parameter by its key, of every plan's and of the workload's; what is
    not given is the demonstration's. An empty size takes the size that is built, an empty name the one that is proposed
    for the plan. ``size_unit`` is the unit of a size that is typed without one. An ``audit`` of ``None`` looks the
    orders up when all targets are the embedded server. ``layout`` is for building on SQL Server, and not the plan's.
    ``further_loads`` are those of a mixed run; the other fields are its first load's, and the run's.
    """

    targets: list[TargetDraft] = field(default_factory=lambda: [TargetDraft()])
    workload: str = DVD_STORE
    typed: dict[str, str] = field(default_factory=dict)
    size_unit: str = "MB"
    reset: bool = True
    audit: bool | None = None
    faults: list[FaultDraft] = field(default_factory=list)
    layout: LayoutDraft = field(default_factory=LayoutDraft)
    further_loads: list[LoadDraft] = field(default_factory=list)

    def __post_init__(self) -> None:
        usual = DEMONSTRATION
        if self.workload != DVD_STORE:
            usual = usual.changed({"workload": self.workload, "targets": (example_target(self.workload),)})
            usual = usual.changed(usual_load(self.workload))
            usual = usual if usual.scale else usual.with_scale(find_workload(self.workload).usual_scale)
        self.typed = {**_written(replace(usual, name="")), **self.typed}

    @classmethod
    def from_plan(cls, plan: RunPlan, *, reset: bool = False, audit: bool | None = None) -> Self:
        """The fields that make this plan; ``reset`` and ``audit`` are taken where it says nothing of them."""
        draft = cls(
            targets=[TargetDraft.from_target(target) for target in plan.targets],
            workload=plan.workload,
            typed=_written(plan),
            reset=reset if plan.reset is None else plan.reset,
            audit=audit if plan.audit is None else plan.audit,
            faults=[FaultDraft.from_fault(fault) for fault in plan.faults],
            further_loads=[LoadDraft.from_plan(load) for load in plan.further_loads],
        )
        scale = find_workload(plan.workload).scale.parameters[0]
        size = scale.write(plan.value(scale.key))
        draft.size_unit = next((unit for unit in scale.type.units if size.endswith(unit)), "MB")
        if plan.name in (DEMONSTRATION.name, proposed_name(plan)):
            draft.typed["name"] = ""
        return draft

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of every plan and of the draft's workload, by their keys."""
        return described(find_workload(self.workload))

    def choose_workload(self, workload: str) -> None:
        """Another workload, with its usual scale and the defaults of its parameters; the others stay as they are typed.
        Its own usual load takes the place of the usual one of the workload before.

        Targets that it can't be run on, such as databases for a load of mail, are left out; an example of one takes
        their place where none remains. A target's database with the name that is usual for the one is renamed to what
        is usual for the other: a database holds the store of one workload.
        """
        if workload == self.workload:
            return
        common = kept_values(self.typed, self.workload, self.has)
        subject = find_workload(workload).subject
        self.targets = [target for target in self.targets if kind_facts(target.kind).subject is subject] or [
            TargetDraft.from_target(example_target(workload))
        ]
        for target in self.targets:
            if target.database == usual_database(self.workload):
                target.database = usual_database(workload)
        self.workload = workload
        self.typed = PlanDraft(workload=workload).typed | common
        if find_workload(workload).due_rate is not None:
            self.typed["rate"] = ""

    def validate(self) -> dict[str, str]:
        """Field → one sentence on what is wrong with it; empty when the plan can be made.

        A field of a target is ``targets.0.hosts``, one of a fault ``faults.0.at`` or ``faults.0.done.value``, one of
        the files ``layout.log``, one of the second load ``further_loads.0.threads``.
        """
        errors: dict[str, str] = {}
        for number, target in enumerate(self.targets):
            errors |= {f"targets.{number}.{name}": text for name, text in target.validate().items()}
        first = () if errors else tuple(target.target() for target in self.targets)
        for number, fault in enumerate(self.faults):
            errors |= {f"faults.{number}.{name}": text for name, text in fault.validate().items()}
        for key in self.typed:
            try:
                self._read(key)
            except BadInput as error:
                errors[key] = str(error)
        errors |= self._wrong_scale(errors)
        for number, load in enumerate(self.further_loads):
            errors |= {f"further_loads.{number}.{name}": text for name, text in load.validate(first).items()}
        if self.has_layout:
            errors |= {f"layout.{name}": text for name, text in self.layout.validate(self._suggested_layout()).items()}
        return with_combined_errors(self, errors)

    def values(self, keys: Sequence[str]) -> dict[str, Any]:
        """The values of these parameters; raises ``BadInput``."""
        return {key: self._read(key) for key in keys}

    def take(self, load: Mapping[str, Any]) -> None:
        """Type these values, given by the keys of their parameters."""
        self.typed |= {key: self.parameters[key].write(value) for key, value in load.items()}

    def has(self, load: Mapping[str, Any]) -> bool:
        """Whether these values are typed, however they are written."""
        try:
            return all(self._read(key) == value for key, value in load.items())
        except (BadInput, KeyError):
            return False

    def warnings(self) -> list[str]:
        """What is allowed and most likely not meant: the same store as two targets."""
        drafts = enumerate(self.targets, start=1)
        targets = {number: draft.target() for number, draft in drafts if not draft.validate()}
        return same_store_warnings(targets, find_workload(self.workload))

    def is_missing(self, path: str) -> bool:
        """Whether a field of a target or a fault, named as by ``validate``, is still to be filled in."""
        if path.split(".")[0] not in ("targets", "faults"):
            return False
        value: Any = self
        for name in path.split("."):
            value = value[int(name)] if name.isdigit() else getattr(value, name, None)
        return isinstance(value, str) and not value.strip()

    @property
    def audits(self) -> bool:
        """Whether every order is looked up after the run."""
        is_ours = all(target.kind == EMBEDDED for target in self.targets)
        return bool(self.audited) and (is_ours if self.audit is None else self.audit)

    @property
    def audited(self) -> list[str]:
        """What can be looked for after the run, of each load that records something: ``order``, ``message``."""
        headlines = map(headline_of, (self.workload, *(load.workload for load in self.further_loads)))
        return list(dict.fromkeys(each.recorded.one for each in headlines if each.has_users))

    @property
    def has_layout(self) -> bool:
        """Whether files are to be chosen: a target is SQL Server, which the workload knows."""
        return any(target.kind == MSSQL for target in self.targets) and is_on(self.workload, MSSQL)

    def suggested_layout(self) -> StoreLayout | None:
        """The files that suit SQL Server stores of the typed scale; ``None`` without one. Raises ``BadInput``."""
        scale = self.scale()
        return None if scale is None else layout_of(self.workload, scale)

    def store_layout(self) -> StoreLayout | None:
        """The files of the SQL Server stores that are to be built; ``None`` without a scale. Raises ``BadInput``."""
        suggested = self.suggested_layout() if self.has_layout else None
        return None if suggested is None else self.layout.layout(suggested)

    def plan(self) -> RunPlan:
        """The plan; raises ``BadInput`` with the first sentence of ``validate``."""
        for sentence in self.validate().values():
            raise BadInput(sentence)
        values = self.values(tuple(self.typed)) | {"reset": self.reset, "audit": self.audits}
        if is_by_stages(values):
            del values["minutes"]  # the stages say how long it lasts
        plan = RunPlan(
            targets=self._targets(), faults=tuple(fault.fault() for fault in self.faults), workload=self.workload
        )
        return replace(plan, further_loads=self._further_loads()).changed(values)

    def _further_loads(self) -> tuple[RunPlan, ...]:
        """The other loads of a mixed run; raises ``BadInput``."""
        return tuple(load.plan(self._targets()) for load in self.further_loads)

    def proposed_name(self) -> str:
        """What the run is called as long as no name is typed; empty while the plan can't be made."""
        try:
            return proposed_name(replace(self, typed=self.typed | {"name": ""}).plan())
        except BadInput:
            return ""

    def store_plan(self) -> RunPlan:
        """As much of the plan as building, verifying and resetting its stores needs; raises ``BadInput``.

        These can be done before the load is right.
        """
        own = find_workload(self.workload).parameters
        database = (each.key for each in own if each.part is Part.DATABASE)
        return self.plan_of("databases", "seed", *database, FURTHER_LOADS)

    def load_plan(self) -> RunPlan:
        """As much of the plan as its phases' lengths depend on; raises ``BadInput``."""
        load = self.values(("threads", "ramp_rate", "warmup_minutes"))
        return RunPlan(**load, minutes=self.minutes())

    def profile(self) -> LoadProfile | None:
        """The stages of the load; ``None`` without any. Raises ``BadInput``."""
        return self._load().profile

    def is_open_loop(self) -> bool:
        """Whether work is due at a rate. Raises ``BadInput`` for a load that can't be run."""
        return self._load().is_open_loop

    def scale(self) -> object | None:
        """How large the stores are to be; ``None`` is what is built. Raises ``BadInput``."""
        scale = find_workload(self.workload).scale
        found: object | None = scale.of(self.values(scale.keys))
        return found

    def _suggested_layout(self) -> StoreLayout:
        """The files that suit the typed scale, or the smallest store as long as none is typed."""
        with suppress(BadInput):
            if (suggested := self.suggested_layout()) is not None:
                return suggested
        return layout_of(self.workload, find_workload(self.workload).small_scale)

    def _wrong_scale(self, errors: Mapping[str, str]) -> dict[str, str]:
        """Values of the scale that are right in themselves and do not fit together."""
        keys = find_workload(self.workload).scale.keys
        try:
            if not errors.keys() & set(keys):
                self.scale()
        except BadInput as error:
            return {keys[-1]: capitalised(str(error))}
        return {}

    def _read(self, key: str) -> Any:
        """The value of a parameter, typed with or without its unit; raises ``BadInput`` that begins with the label."""
        parameter, typed = self._parameter(key), self.typed[key]
        has_no_unit = bool(parameter.type.units) and typed.strip().isdecimal()
        return parameter.read(f"{typed.strip()}{self.size_unit}" if has_no_unit else typed)

    def _load(self) -> RunPlan:
        """The plan of the load alone; raises ``BadInput``."""
        own = find_workload(self.workload).load
        return self.plan_of(*_OF_PROFILE, *(each.key for each in own))

    def _parameter(self, key: str) -> Parameter:
        """One of ``parameters``, found without describing all of them; raises ``KeyError``."""
        own = {each.key: each for each in find_workload(self.workload).parameters}
        return COMMON[key] if key in COMMON else own[key]

    def plan_of(self, *keys: str) -> RunPlan:
        """The plan of the targets and these parameters, with the further loads where they are named; raises
        ``BadInput``."""
        plan = RunPlan(targets=self._targets(), workload=self.workload)
        if FURTHER_LOADS in keys:
            plan = replace(plan, further_loads=self._further_loads())
        return plan.changed(self.values([key for key in keys if key != FURTHER_LOADS]))

    def minutes(self) -> float:
        """How long measuring lasts, by the stages where there are any; raises ``BadInput``."""
        profile = self.profile() if self.paced_by() else None
        minutes: float = self._read("minutes") if profile is None else profile.seconds / 60
        return minutes

    def paced_by(self) -> str:
        """The field that makes another load than the same users throughout; empty for none."""
        return next((key for key in LOADS if self.typed[key].strip()), "")

    def _targets(self) -> tuple[Target, ...]:
        if not self.targets:
            raise BadInput("the plan names no target; add one.")
        return tuple(target.target() for target in self.targets)


def _written(plan: RunPlan) -> dict[str, str]:
    """The plan's values as somebody would type them, by their keys; reset and audit are fields of the draft."""
    typed = {key: each.write(plan.value(key)) for key, each in plan.described().items() if key not in _TICKED}
    scale = find_workload(plan.workload).scale.parameters[0]
    for unit in scale.type.units:
        typed[scale.key] = typed[scale.key].removesuffix(unit)  # it has a field of its own
    return typed
