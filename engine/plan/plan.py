"""The plan of a run: one frozen value that makes the form, starts the run, is stored with it and starts it again."""

import difflib
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from engine.errors import BadInput
from engine.faults.fault_text import parse_fault
from engine.faults.planned import PlannedFault
from engine.remedies import Remedy, RemedyKind
from engine.target.target import EMBEDDED, Target
from engine.typed_text import time_text
from engine.workloads.dvdstore.sizing import DbSize

FORMAT_VERSION = 1
MOST_THREADS = 1_000
MOST_CLIENTS = 256


@dataclass(frozen=True, kw_only=True)
class ClientPlan:
    """One client: a driver–target pair, with its number from 1 and the label it is reported under."""

    number: int
    label: str
    target: Target


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """What is to be run; every field is checked when the plan is made, and a wrong one raises ``BadInput``.

    ``threads`` are emulated users per client. ``clients`` drive each store, ``databases`` stores are driven on each
    target (more than one: ``ds2_1``, ``ds2_2`` …). ``db_size`` ``None`` takes the size that is built.
    ``minutes`` 0 runs until stopped; fractions count in whole seconds. ``faults`` are what is to happen while the run
    is measured. ``reset`` says whether the stores are taken back to what was built before the run, ``audit`` whether
    every order is looked up after it; ``None`` leaves that to who starts it. The other names are DVD Store 2's.
    """

    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    targets: tuple[Target, ...] = (Target(kind=EMBEDDED),)
    clients: int = 1
    databases: int = 1
    db_size: DbSize | None = None
    threads: int = 1
    think_time_ms: float = 0.0
    ramp_rate: float = 10.0
    warmup_minutes: float = 1.0
    minutes: float = 0.0
    pct_new_customers: float = 20.0
    n_searches: int = 3
    search_batch_size: int = 5
    n_line_items: int = 5
    seed: int = 1
    reset: bool | None = None
    audit: bool | None = None
    faults: tuple[PlannedFault, ...] = ()
    format_version: int = FORMAT_VERSION

    def __post_init__(self) -> None:
        if not self.targets:
            raise BadInput("the plan names no target", remedy=Remedy(kind=RemedyKind.ADD_TARGET))
        for name, text in (("name", self.name), ("note", self.note), *(("tags", tag) for tag in self.tags)):
            _check_text(name, text)
        for name, choice in (("reset", self.reset), ("audit", self.audit)):
            _check_choice(name, choice)
        _check_whole("threads", self.threads, 1, MOST_THREADS)
        _check_whole("clients", self.clients, 1, MOST_CLIENTS)
        _check_whole("databases", self.databases, 1, MOST_CLIENTS)
        _check_number("think_time_ms", self.think_time_ms, 0, 3_600_000)
        _check_number("ramp_rate", self.ramp_rate, 0.01, 10_000)
        _check_number("warmup_minutes", self.warmup_minutes, 0, 1_440)
        _check_number("minutes", self.minutes, 0, 525_600)
        _check_number("pct_new_customers", self.pct_new_customers, 0, 100)
        _check_whole("n_searches", self.n_searches, 1, 100)
        _check_whole("search_batch_size", self.search_batch_size, 1, 1_000)
        _check_whole("n_line_items", self.n_line_items, 1, 10)
        _check_whole("seed", self.seed, 0, 2**63 - 1)
        _check_version(self.format_version)
        self._check_faults()
        _check_one_lab(self.targets)
        clients = len(self.targets) * self.databases * self.clients
        if clients > MOST_CLIENTS:
            raise BadInput(f"the plan has {clients} clients; use at most {MOST_CLIENTS}.")
        self.stores()  # a store's name that is too long is refused here, not when it is built

    def _check_faults(self) -> None:
        end = self.measured_seconds
        for fault in self.faults:
            if end and fault.over_seconds >= end:
                last = "is" if fault.over_seconds == fault.at_seconds else "ends"
                raise BadInput(
                    f"fault '{fault.label}' {last} at {time_text(fault.over_seconds)} after measuring begins, and"
                    f" minutes is {self.minutes:g}, which ends at {time_text(end)}; give an earlier time or more"
                    " minutes."
                )

    @property
    def warmup_seconds(self) -> int:
        return math.ceil(round(self.warmup_minutes * 60, 6))

    @property
    def measured_seconds(self) -> int:
        """How long the measuring phase lasts; 0 is until stopped."""
        return math.ceil(round(self.minutes * 60, 6))

    def stores(self) -> tuple[Target, ...]:
        """Every store that the plan drives, each once, in the order of targets and databases."""
        stores: dict[Target, Target] = {}
        for store in self._driven():
            stores.setdefault(store.with_label(""), store)
        return tuple(stores.values())

    def client_plans(self) -> tuple[ClientPlan, ...]:
        """The clients in order, each with a label that no other has."""
        driven = self._driven()
        shared = Counter(store.label or store.database for store in driven)
        labels: set[str] = set()
        plans: list[ClientPlan] = []
        for store in driven:
            name = store.label or store.database
            if shared[name] > 1:
                name = f"{store.label or _place(store)}/{store.database}"
            for of in range(1, self.clients + 1):
                label = f"{name} #{of}" if self.clients > 1 else name
                while label in labels:
                    label += "'"
                labels.add(label)
                plans.append(ClientPlan(number=len(plans) + 1, label=label, target=store))
        return tuple(plans)

    def _driven(self) -> tuple[Target, ...]:
        """The stores in the order of their clients; one that is named twice is driven twice."""
        if self.databases == 1:
            return self.targets
        return tuple(
            target.with_database(f"{target.database}_{number}")
            for target in self.targets
            for number in range(1, self.databases + 1)
        )

    def with_size(self, size: DbSize) -> Self:
        return replace(self, db_size=size)

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values for JSON and TOML; ``from_dict`` reads it back."""
        plain = asdict(self)
        plain["targets"] = [_target_to_dict(target) for target in self.targets]
        plain["tags"] = list(self.tags)
        plain["faults"] = [fault.to_dict() for fault in self.faults]
        plain["db_size"] = str(self.db_size) if self.db_size is not None else None
        if not self.faults:
            del plain["faults"]  # a plan without any stays readable for a Spindle that knows none
        return {name: value for name, value in plain.items() if value is not None}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a plan; raises ``BadInput`` that names an unknown key and the nearest known one, or a wrong value."""
        _check_version(plain.get("format_version", FORMAT_VERSION))
        known = {field.name: field for field in fields(cls)}
        values = dict(plain)
        for key in values:
            if key not in known:
                raise BadInput(f"plan key '{key}' is not known; {_nearest(key, known)}.")
        if "targets" in values:
            values["targets"] = tuple(_target_from_dict(each) for each in _listed("targets", values["targets"]))
        if "faults" in values:
            values["faults"] = tuple(_fault_from(each) for each in _listed("faults", values["faults"]))
        if "tags" in values:
            values["tags"] = tuple(_listed("tags", values["tags"]))
        if "db_size" in values:
            values["db_size"] = DbSize.parse(str(values["db_size"]))
        for key, field in known.items():
            if isinstance(field.default, float) and type(values.get(key)) is int:
                values[key] = _as_float(values[key])
        return cls(**values)


def _check_one_lab(targets: tuple[Target, ...]) -> None:
    """There is one embedded lab, and a run drives it in one shape."""
    shapes = {(each.nodes, each.sync, each.failover): each.url for each in targets if each.kind == EMBEDDED}
    if len(shapes) > 1:
        raise BadInput(
            f"the plan's targets {' and '.join(shapes.values())} use the embedded server in different forms; give"
            " them the same nodes, sync and failover."
        )


def _place(target: Target) -> str:
    return ",".join(str(host) for host in target.hosts) or target.kind


def _nearest(key: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.4)
    return f"did you mean '{near[0]}'" if near else f"known keys are {', '.join(known)}"


def _listed(key: str, value: Any) -> list[Any]:
    """The value as a list; a wrong one is not repeated, since a target's URL may hold a password."""
    if not isinstance(value, list | tuple):
        raise BadInput(f"{key} is not a list; give a list in square brackets.")
    return list(value)


def _target_to_dict(target: Target) -> dict[str, str]:
    return {"url": target.url, **({"label": target.label} if target.label else {})}


def _target_from_dict(plain: Any) -> Target:
    """A target in a plan is a URL, or a table of ``url`` and ``label``; a password in it is refused: plans are kept."""
    entry = {"url": plain} if isinstance(plain, str) else plain
    if not isinstance(entry, Mapping) or not isinstance(entry.get("url"), str):
        raise BadInput('each of the plan\'s targets needs a url, such as url = "postgresql://user@host/ds2".')
    for key in entry:
        if key not in ("url", "label"):
            raise BadInput(f"target key '{key}' is not known; {_nearest(key, {'url': 0, 'label': 0})}.")
    target, password = Target.parse(entry["url"])
    if password is not None:
        raise BadInput(
            f"the plan's target {target.url} contains a password; remove it and use SPINDLE_PASSWORD or the keyring."
        )
    label = entry.get("label", "")
    _check_text("label", label)
    return target.with_label(label)


def _fault_from(plain: Any) -> PlannedFault:
    """A fault in a plan is a table, or the text that ``--fault`` takes."""
    return parse_fault(plain) if isinstance(plain, str) else PlannedFault.from_dict(plain)


def _as_float(number: int) -> float:
    return float(number) if abs(number) < 2**53 else math.inf


def _check_version(version: object) -> None:
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise BadInput(
            f"format_version is {version!r}; this version of Spindle reads {FORMAT_VERSION}; use a newer version."
        )


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise BadInput(f"{name} is {value!r}; give a text in quotes.")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise BadInput(f"{name} is {value!r}; write it in UTF-8.")


def _check_choice(name: str, value: object) -> None:
    if value is not None and not isinstance(value, bool):
        raise BadInput(f"{name} is {value!r}; give true or false.")


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadInput(f"{name} is {value!r}; give a whole number from {least} to {most}.")


def _check_number(name: str, value: object, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise BadInput(f"{name} is {value!r}; give a number from {least} to {most}.")
