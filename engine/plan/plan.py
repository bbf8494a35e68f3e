"""The plan of a run: one frozen value that makes the form, starts the run, is stored with it and starts it again."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

from engine.errors import BadInput, Remedy, RemedyKind
from engine.faults.planned import PlannedFault
from engine.machines.storage_probes import StorageProbe
from engine.parameters.parameter import Parameter, Text, did_you_mean
from engine.plan.checks import check_fault_times, check_one_lab, check_subject
from engine.plan.clients import ClientPlan, clients_of
from engine.plan.databases import targets_of_load
from engine.plan.load.checks import check_load, check_minutes, staircase_with_period, users_for, with_periods
from engine.plan.load.profile import LoadProfile
from engine.plan.load.stage import Stage
from engine.plan.load.staircase import Staircase
from engine.plan.load_machines import MOST_CLIENTS, LoadMachine, check_enough_clients
from engine.plan.mixed import LOAD, LOAD_KEYS, RUN_KEYS, check_load_keys, check_loads, machines_of, numbered, titles_of
from engine.plan.parameters import COMMON, described
from engine.plan.plain import (
    FORMAT_VERSION,
    LEFT_OUT_WHEN_EMPTY,
    check_version,
    fault_from,
    list_of,
    own_parameters,
    target_from_dict,
    target_to_dict,
    without_none,
)
from engine.target.target import EMBEDDED, Target
from engine.workload.registry import DVD_STORE, find_workload
from engine.workload.workload import Workload

_LOAD_MACHINE = "load_machine"
"""The key of the load machines in plan files, where each is a table ``[[load_machine]]``."""
_IN_FILES = {"load_machines": _LOAD_MACHINE, "further_loads": LOAD}
"""The keys in plan files of the fields that are called otherwise there."""


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """What is to be run; every field is checked when the plan is made, and a wrong one raises ``BadInput``.

    What the fields that are parameters mean is in ``engine.plan.parameters.COMMON``, by their names. ``parameters`` are
    the workload's own: what is not given has its default. ``databases`` stores are driven on each target (more than
    one: ``ds2_1``, ``ds2_2`` …). Minutes count in whole seconds; of a plan with stages or a staircase they are the sum
    of the stages, whatever is given. ``reset`` and ``audit`` may be left to who starts the run, as ``None``. ``faults``
    are what is to happen while the run is measured.

    A plan with ``further_loads`` is that of a mixed run: its own targets, clients and parameters are those of its first
    load, and each further load has its own. What belongs to the run (``RUN_KEYS``, faults, load machines) is the same
    in all of them, whatever was given. ``loads`` has each as a plan by itself.
    """

    name: str = COMMON["name"].default
    note: str = COMMON["note"].default
    tags: tuple[str, ...] = COMMON["tags"].default
    targets: tuple[Target, ...] = (Target(kind=EMBEDDED),)
    clients: int = COMMON["clients"].default
    databases: int = COMMON["databases"].default
    threads: int = COMMON["threads"].default
    think_time_ms: float = COMMON["think_time_ms"].default
    ramp_rate: float = COMMON["ramp_rate"].default
    warmup_minutes: float = COMMON["warmup_minutes"].default
    minutes: float = COMMON["minutes"].default
    stages: tuple[Stage, ...] | None = COMMON["stages"].default
    staircase: Staircase | None = COMMON["staircase"].default
    rate: float | None = COMMON["rate"].default
    arrivals: str = COMMON["arrivals"].default
    load_machines: tuple[LoadMachine, ...] = COMMON["load_machines"].default
    seed: int = COMMON["seed"].default
    reset: bool | None = COMMON["reset"].default
    audit: bool | None = COMMON["audit"].default
    machines: tuple[str, ...] = COMMON["machines"].default
    server_waits: bool = COMMON["server_waits"].default
    storage_probes: tuple[StorageProbe, ...] = COMMON["storage_probes"].default
    faults: tuple[PlannedFault, ...] = ()
    workload: str = DVD_STORE
    parameters: Mapping[str, Any] = field(default_factory=dict)
    further_loads: "tuple[RunPlan, ...]" = ()

    def __post_init__(self) -> None:
        if not self.targets:
            raise BadInput("the plan names no target", remedy=Remedy(kind=RemedyKind.ADD_TARGET))
        for key, parameter in COMMON.items():
            object.__setattr__(self, key, parameter.checked(getattr(self, key)))
        object.__setattr__(self, "machines", tuple(dict.fromkeys(self.machines)))
        workload = find_workload(self.workload)
        check_keys(workload)
        check_subject(workload, self.targets)
        object.__setattr__(self, "parameters", workload.values(self.parameters))
        object.__setattr__(self, "stages", with_periods(self.stages, workload.headline))
        object.__setattr__(self, "staircase", staircase_with_period(self.staircase, workload.headline))
        check_load(self)
        if (profile := self.profile) is not None:
            object.__setattr__(self, "minutes", profile.seconds / 60)
        check_fault_times(self.faults, self.measured_seconds)
        object.__setattr__(self, "further_loads", tuple(map(self._as_further_load, self.further_loads)))
        parts = (self, *self.further_loads)
        check_one_lab(tuple(target for part in parts for target in part.targets))
        clients = sum(len(part.targets) * part.databases * part.clients for part in parts)
        if clients > MOST_CLIENTS:
            raise BadInput(f"the plan has {clients} clients; use at most {MOST_CLIENTS}.")
        check_enough_clients(self.load_machines, clients)
        self.stores()  # a store's name that is too long is refused here, not when it is built
        check_loads(self.loads)
        if self.audit and not any(map(_records, parts)):
            raise BadInput(f"audit is on, and workload {self.workload} acknowledges nothing to look for; leave it out.")

    def _as_further_load(self, load: "RunPlan") -> "RunPlan":
        """A further load with what belongs to the run; raises ``BadInput``."""
        if load.further_loads:
            raise BadInput("a load of a mixed run has loads itself; give all of them to the run.")
        if load.profile is not None:
            raise BadInput("a further load of a mixed run has stages; give stages to the first load, or to none.")
        shared = {key: getattr(self, key) for key in RUN_KEYS}
        shared["audit"] = _audit_of(load, self.audit)
        return replace(load, **shared, faults=self.faults, load_machines=())

    @property
    def is_mixed(self) -> bool:
        """Whether the run has several loads."""
        return bool(self.further_loads)

    @cached_property
    def loads(self) -> "tuple[RunPlan, ...]":
        """Each load of the run as a plan by itself, the first one first; a plan that is not mixed is its only load.

        The clients and stores of such a plan count from 1, as those of any other.
        """
        if not self.further_loads:
            return (self,)
        loads, before = [], 0
        first = replace(self, further_loads=(), load_machines=(), audit=_audit_of(self, self.audit))
        for load in (first, *self.further_loads):
            clients = len(load.client_plans())
            placed = machines_of(self.load_machines, before, clients)
            loads.append(replace(load, load_machines=placed) if placed else load)
            before += clients
        return tuple(loads)

    @property
    def titles(self) -> tuple[str, ...]:
        """What each of the loads is called."""
        return titles_of(self.loads)

    def with_loads(self, loads: "Sequence[RunPlan]") -> Self:
        """The plan of the same run with other loads, of which there must be one."""
        first = {key: getattr(loads[0], key) for key in (*LOAD_KEYS, "stages", "staircase")}
        return replace(self, **first, further_loads=tuple(loads[1:]))

    @property
    def users(self) -> int:
        """The users of all clients together, in a mixed run those of its first load."""
        return len(self.targets) * self.databases * self.clients * self.threads

    @property
    def is_open_loop(self) -> bool:
        """Whether work is due at a rate; otherwise users begin anew when they have their answers."""
        profile = self.profile
        has_rate = self.rate is not None or find_workload(self.workload).due_rate is not None
        return has_rate or (profile is not None and profile.is_open_loop)

    @cached_property
    def profile(self) -> LoadProfile | None:
        """The stages of measuring, those of a staircase up to its last step; ``None`` where the load is the same
        throughout."""
        if self.staircase is not None:
            return LoadProfile(stages=self.staircase.stages(self.users), staircase=self.staircase)
        return None if self.stages is None else LoadProfile(stages=self.stages)

    @property
    def warmup_seconds(self) -> int:
        return math.ceil(round(self.warmup_minutes * 60, 6))

    @property
    def measured_seconds(self) -> int:
        """How long the measuring phase lasts; 0 is until stopped."""
        return math.ceil(round(self.minutes * 60, 6))

    def stores(self) -> tuple[Target, ...]:
        """Every store that the plan drives, each once, in the order of loads, targets and databases."""
        stores: dict[Target, Target] = {}
        for load in (self, *self.further_loads):
            for store in load._driven():
                stores.setdefault(store.with_label(""), store)
        return tuple(stores.values())

    def workload_of(self, store: Target) -> str:
        """The id of the workload that drives one of the plan's stores."""
        return next(load.workload for load in self.loads if store.with_label("") in _unlabelled(load.stores()))

    def client_plans(self) -> tuple[ClientPlan, ...]:
        """The clients in order, each with a label that no other has, and the load machine that drives it."""
        if self.further_loads:
            return tuple(numbered(self.loads))
        return clients_of(self._driven(), self.clients, self.load_machines)

    def _driven(self) -> tuple[Target, ...]:
        """The stores in the order of their clients; one that is named twice is driven twice."""
        if self.databases == 1:
            return self.targets
        return tuple(
            target.with_database(f"{target.database}_{number}")
            for target in self.targets
            for number in range(1, self.databases + 1)
        )

    @property
    def scale(self) -> object | None:
        """How large the stores are, in the workload's own terms; ``None`` takes what is built."""
        scale: object | None = find_workload(self.workload).scale.of(self.parameters)
        return scale

    def with_scale(self, scale: object) -> Self:
        return self.changed(find_workload(self.workload).scale.values(scale))

    def described(self) -> dict[str, Parameter]:
        """The parameters of every plan and those of this plan's workload, by their keys."""
        return described(find_workload(self.workload))

    def value(self, key: str) -> Any:
        """The value of a parameter, of every plan's or of the workload's."""
        return getattr(self, key) if key in COMMON else self.parameters[key]

    def changed(self, values: Mapping[str, Any]) -> Self:
        """The plan with other values of its fields and of its workload's parameters, by their names and keys.

        Another workload begins with its defaults. Raises ``BadInput``.
        """
        names = {each.name for each in fields(self)}
        own = {key: value for key, value in values.items() if key not in names}
        kept = self.parameters if values.get("workload", self.workload) == self.workload else {}
        changes: dict[str, Any] = {"parameters": {**kept, **own}, **{key: values[key] for key in values.keys() - own}}
        plan = replace(self, **_with_users(changes, self))
        check_minutes(plan, values)
        return plan

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values for JSON and TOML, without what is left open; ``from_dict`` reads it back."""
        plain: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        plain |= {key: each.plain(plain[key]) for key, each in COMMON.items()}
        plain["targets"] = [target_to_dict(target) for target in self.targets]
        plain["faults"] = [fault.to_dict() for fault in self.faults]
        own = {each.key: each.plain(self.parameters[each.key]) for each in find_workload(self.workload).parameters}
        plain["parameters"] = without_none(own)
        if further := plain.pop("further_loads"):
            plain[LOAD] = [_load_to_dict(load) for load in further]
        if not self.is_open_loop:
            del plain["arrivals"]
        for key in LEFT_OUT_WHEN_EMPTY:
            if not plain[key]:
                del plain[key]
        if "load_machines" in plain:
            plain[_LOAD_MACHINE] = plain.pop("load_machines")
        return without_none(plain) | {"format_version": FORMAT_VERSION}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a plan; raises ``BadInput`` that names an unknown key and the nearest known one, or a wrong value."""
        values = dict(plain)
        check_version(values.pop("format_version", FORMAT_VERSION))
        workload = find_workload(Text().checked("workload", values.get("workload", DVD_STORE)))
        values["parameters"] = own_parameters(workload, values)
        known = [_IN_FILES.get(each.name, each.name) for each in fields(cls)]
        for key in values:
            if key not in known:
                raise BadInput(f"plan key '{key}' is not known; {did_you_mean(key, (*known, *workload.keys))}.")
        if _LOAD_MACHINE in values:
            values["load_machines"] = values.pop(_LOAD_MACHINE)
        if "targets" in values:
            values["targets"] = tuple(target_from_dict(each) for each in list_of("targets", values["targets"]))
        if "faults" in values:
            values["faults"] = tuple(fault_from(each) for each in list_of("faults", values["faults"]))
        if LOAD in values:
            targets = values.get("targets", cls().targets)
            values["further_loads"] = tuple(
                cls._load_from(number, check_load_keys(number, each, known), targets)
                for number, each in enumerate(list_of(LOAD, values.pop(LOAD)), start=2)
            )
        plan = cls(**_with_users(values, cls()))
        check_minutes(plan, values)
        return plan

    @classmethod
    def _load_from(cls, number: int, plain: Mapping[str, Any], targets: tuple[Target, ...]) -> Self:
        """A further load of a plan file: without targets it drives the first load's servers, each in the database that
        its workload usually has."""
        try:
            load = cls.from_dict(plain)
            if "targets" not in plain:
                load = replace(load, targets=targets_of_load(targets, load.workload))
        except BadInput as error:
            raise BadInput(f"load {number}: {error.cause}", remedy=error.remedy) from error
        return load


def _records(load: RunPlan) -> bool:
    """Whether what a load's server acknowledges is recorded, so that it can be audited."""
    return find_workload(load.workload).user is not None


def _audit_of(load: RunPlan, audit: bool | None) -> bool | None:
    """The run's choice of an audit as that of one of its loads."""
    return audit if _records(load) else None


def check_keys(workload: Workload) -> None:
    """Raises ``BadInput`` for a workload with a parameter whose key is that of a field of every plan."""
    for key in workload.keys:
        if key in RunPlan.__dataclass_fields__:
            raise BadInput(
                f"workload '{workload.id}' can't be used: its parameter '{key}' has the name of one that every plan"
                " has; update or remove the package that it comes with."
            )


def _with_users(values: dict[str, Any], before: RunPlan) -> dict[str, Any]:
    """The values, with as many users for each client as the stages need where their number is not given."""
    stages = values.get("stages")
    if stages is None or "threads" in values:
        return values
    stages = COMMON["stages"].checked(stages)
    clients = len(values.get("targets", before.targets)) * values.get("databases", before.databases)
    clients *= values.get("clients", before.clients)
    return {**values, "stages": stages, "threads": max(before.threads, users_for(stages, clients))}


def _load_to_dict(load: RunPlan) -> dict[str, Any]:
    """A further load of a plan: what it has by itself."""
    return {key: value for key, value in load.to_dict().items() if key in LOAD_KEYS}


def _unlabelled(stores: tuple[Target, ...]) -> set[Target]:
    return {store.with_label("") for store in stores}
