"""The whole plan as it is typed: kept as it stands, checked field by field, and made into a RunPlan when it is right.

The wizard edits one, the application keeps it across restarts.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from engine.draft.fault_draft import FaultDraft
from engine.draft.layout_draft import LayoutDraft
from engine.draft.target_draft import TargetDraft
from engine.errors import BadInput
from engine.faults.fitting import check_fits
from engine.figure_text import capitalised, listed
from engine.plan.naming import proposed_name
from engine.plan.plan import RunPlan
from engine.plan.presets import DEMONSTRATION
from engine.target.store_layout import StoreLayout
from engine.target.target import EMBEDDED, MSSQL, Target
from engine.typed_text import (
    read_list,
    read_minutes,
    read_number,
    read_whole,
    write_list,
    write_minutes,
    write_number,
)
from engine.workloads.dvdstore.sizing import DbSize

LABELS = {
    "targets": "Targets",
    "clients": "Clients per store",
    "databases": "Stores per target",
    "db_size": "Size",
    "threads": "Users per client",
    "think_time_ms": "Think time",
    "ramp_rate": "Ramp rate",
    "warmup_minutes": "Warm-up",
    "minutes": "Run time",
    "pct_new_customers": "New customers",
    "n_searches": "Searches per order",
    "search_batch_size": "Rows per search",
    "n_line_items": "Lines per order",
    "seed": "Seed",
    "faults": "Faults",
    "name": "Name",
    "note": "Note",
    "tags": "Tags",
}
_WHOLE = ("clients", "databases", "threads", "n_searches", "search_batch_size", "n_line_items", "seed")
_NUMBERS = ("think_time_ms", "ramp_rate", "pct_new_customers")
_MINUTES = ("warmup_minutes", "minutes")
_TEXTS = ("name", "note", "tags", "db_size", "size_unit")


@dataclass
class PlanDraft:
    """The wizard's fields, named as the plan's; numbers are texts, so that wrong ones stay to be corrected.

    An empty ``db_size`` takes the size that is built, an empty ``name`` the one that is proposed for the plan; ``tags``
    are split by commas. An ``audit`` of ``None`` looks the orders up when all targets are the embedded server.
    ``layout`` is for building on SQL Server, and not the plan's. As made, the draft is the demonstration.
    """

    targets: list[TargetDraft] = field(default_factory=lambda: [TargetDraft()])
    clients: str = "2"
    databases: str = "1"
    db_size: str = "100"
    size_unit: str = "MB"
    reset: bool = True
    audit: bool | None = None
    threads: str = "8"
    think_time_ms: str = "20"
    ramp_rate: str = "10"
    warmup_minutes: str = "0:06"
    minutes: str = "0:48"
    pct_new_customers: str = "20"
    n_searches: str = "3"
    search_batch_size: str = "5"
    n_line_items: str = "5"
    seed: str = "1"
    faults: list[FaultDraft] = field(default_factory=list)
    name: str = ""
    note: str = ""
    tags: str = ""
    layout: LayoutDraft = field(default_factory=LayoutDraft)

    @classmethod
    def from_plan(cls, plan: RunPlan, *, reset: bool = False, audit: bool | None = None) -> Self:
        """The fields that make this plan; ``reset`` and ``audit`` are taken where it says nothing of them."""
        return cls(
            targets=[TargetDraft.from_target(target) for target in plan.targets],
            db_size=str(plan.db_size.number) if plan.db_size else "",
            size_unit=plan.db_size.unit if plan.db_size else "MB",
            reset=reset if plan.reset is None else plan.reset,
            audit=audit if plan.audit is None else plan.audit,
            faults=[FaultDraft.from_fault(fault) for fault in plan.faults],
            name="" if plan.name in (DEMONSTRATION.name, proposed_name(plan)) else plan.name,
            note=plan.note,
            tags=write_list(plan.tags),
            layout=LayoutDraft(),
            **_written({name: getattr(plan, name) for name in (*_WHOLE, *_NUMBERS, *_MINUTES)}),
        )

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read a kept draft; what is missing or of another kind has its default, so that no file can be in the way."""
        names = (*_WHOLE, *_NUMBERS, *_MINUTES, *_TEXTS)
        texts = {name: plain[name] for name in names if isinstance(plain.get(name), str)}
        draft = cls(**texts)
        if draft.name == DEMONSTRATION.name:  # it stood in every draft once, whatever the plan was
            draft.name = ""
        targets, faults = plain.get("targets"), plain.get("faults")
        if isinstance(targets, list):
            draft.targets = [TargetDraft.from_dict(each) for each in targets if isinstance(each, Mapping)]
        if isinstance(faults, list):
            draft.faults = [FaultDraft.from_dict(each) for each in faults if isinstance(each, Mapping)]
        if isinstance(plain.get("layout"), Mapping):
            draft.layout = LayoutDraft.from_dict(plain["layout"])
        if isinstance(plain.get("reset"), bool):
            draft.reset = plain["reset"]
        if isinstance(plain.get("audit"), bool):
            draft.audit = plain["audit"]
        return draft

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON; ``from_dict`` reads them back. There is no password in them."""
        return vars(self) | {
            "targets": [target.to_dict() for target in self.targets],
            "faults": [fault.to_dict() for fault in self.faults],
            "layout": self.layout.to_dict(),
        }

    def validate(self) -> dict[str, str]:
        """Field → one sentence on what is wrong with it; empty when the plan can be made.

        A field of a target is ``targets.0.hosts``, one of a fault ``faults.0.at`` or ``faults.0.done.value``, one of
        the files ``layout.log``.
        """
        errors: dict[str, str] = {}
        for number, target in enumerate(self.targets):
            errors |= {f"targets.{number}.{name}": text for name, text in target.validate().items()}
        for number, fault in enumerate(self.faults):
            errors |= {f"faults.{number}.{name}": text for name, text in fault.validate().items()}
        for name in (*_WHOLE, *_NUMBERS, *_MINUTES, "db_size", "name", "note", "tags"):
            try:
                RunPlan(**{name: self._read(name)})
            except BadInput as error:
                errors[name] = _on_screen(name, error)
        if self.has_layout:
            errors |= {f"layout.{name}": text for name, text in self.layout.validate(self._size_or_none()).items()}
        errors |= self._too_many(errors) | self._too_late(errors)
        return errors | self._unfit(errors)

    def values(self, names: Iterable[str]) -> dict[str, Any]:
        """The plan's values of these fields; raises ``BadInput``."""
        return {name: self._read(name) for name in names}

    def take(self, load: Mapping[str, Any]) -> None:
        """Type these values of a plan, by the plan's names."""
        for name, text in _written(load).items():
            setattr(self, name, text)

    def has(self, load: Mapping[str, Any]) -> bool:
        """Whether these values of a plan are typed, however they are written."""
        try:
            return all(self._read(name) == value for name, value in load.items())
        except BadInput:
            return False

    def warnings(self) -> list[str]:
        """What is allowed and most likely not meant: the same store as two targets."""
        numbers: dict[Target, list[int]] = {}
        for number, draft in enumerate(self.targets, start=1):
            if not draft.validate():
                numbers.setdefault(draft.target().with_label(""), []).append(number)
        return [
            f"Targets {listed([str(number) for number in same])} are the same database, which then gets the users of"
            f" {'both' if len(same) == 2 else 'all'}. For more users on one store, use {LABELS['clients']}."
            for same in numbers.values()
            if len(same) > 1
        ]

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
        return is_ours if self.audit is None else self.audit

    @property
    def has_layout(self) -> bool:
        """Whether files are to be chosen: a target is SQL Server."""
        return any(target.kind == MSSQL for target in self.targets)

    def store_layout(self) -> StoreLayout | None:
        """The files of the SQL Server stores that are to be built; ``None`` without a size. Raises ``BadInput``."""
        size = self.size()
        return self.layout.layout(size) if self.has_layout and size is not None else None

    def plan(self) -> RunPlan:
        """The plan; raises ``BadInput`` with the first sentence of ``validate``."""
        for sentence in self.validate().values():
            raise BadInput(sentence)
        values = {name: self._read(name) for name in LABELS}
        numbers = {name: float(values[name]) for name in (*_NUMBERS, *_MINUTES)}
        return RunPlan(**values | numbers, reset=self.reset, audit=self.audits)

    def proposed_name(self) -> str:
        """What the run is called as long as no name is typed; empty while the plan can't be made."""
        try:
            return proposed_name(replace(self, name="").plan())
        except BadInput:
            return ""

    def store_plan(self) -> RunPlan:
        """As much of the plan as building, verifying and resetting its stores needs; raises ``BadInput``.

        These can be done before the load is right.
        """
        return RunPlan(**{name: self._read(name) for name in ("targets", "databases", "db_size", "seed")})

    def load_plan(self) -> RunPlan:
        """As much of the plan as tells how long its phases are; raises ``BadInput``."""
        return RunPlan(**{name: self._read(name) for name in ("threads", "ramp_rate", "warmup_minutes", "minutes")})

    def size(self) -> DbSize | None:
        """The size, which may be typed with its unit; ``None`` is the size that is built. Raises ``BadInput``."""
        typed = self.db_size.strip()
        if not typed:
            return None
        return DbSize.parse(f"{typed}{self.size_unit}" if typed.isdecimal() else typed)

    def _size_or_none(self) -> DbSize | None:
        try:
            return self.size()
        except BadInput:
            return None

    def _read(self, name: str) -> Any:
        """The plan's value of a field; raises ``BadInput``."""
        if name in _WHOLE:
            return read_whole(LABELS[name], getattr(self, name))
        if name in _NUMBERS:
            return read_number(LABELS[name], getattr(self, name))
        if name in _MINUTES:
            return read_minutes(LABELS[name], getattr(self, name))
        others: dict[str, Callable[[], Any]] = {
            "targets": self._targets,
            "faults": lambda: tuple(fault.fault() for fault in self.faults),
            "db_size": self.size,
            "tags": lambda: read_list(self.tags),
        }
        return others[name]() if name in others else getattr(self, name)

    def _targets(self) -> tuple[Target, ...]:
        if not self.targets:
            raise BadInput("the plan names no target; add one.")
        return tuple(target.target() for target in self.targets)

    def _too_many(self, errors: Mapping[str, str]) -> dict[str, str]:
        """What is wrong although each field alone is right: the first field that is one too many gets the sentence."""
        values: dict[str, Any] = {}
        for name in ("targets", "databases", "clients"):
            if any(path.split(".")[0] == name for path in errors):
                break
            try:
                values[name] = self._read(name)
                RunPlan(**values)
            except BadInput as error:
                return {name: _on_screen(name, error)}
        return {}

    def _too_late(self, errors: Mapping[str, str]) -> dict[str, str]:
        """The faults that are right in themselves, but come after the measuring phase has ended."""
        late: dict[str, str] = {}
        for number, fault in enumerate(self.faults):
            if "minutes" in errors or fault.validate():
                continue
            try:
                RunPlan(minutes=self._read("minutes"), faults=(fault.fault(),))
            except BadInput as error:
                late[f"faults.{number}.at"] = _on_screen("faults", error)
        return late

    def _unfit(self, errors: Mapping[str, str]) -> dict[str, str]:
        """The faults that are right in themselves, but do something to a target that the plan does not have."""
        unfit: dict[str, str] = {}
        if any(path.split(".")[0] in ("targets", "databases") for path in errors):
            return unfit
        stores = RunPlan(**{name: self._read(name) for name in ("targets", "databases")}).stores()
        for number, fault in enumerate(self.faults):
            if fault.validate():
                continue
            try:
                check_fits(fault.fault(), stores)
            except BadInput as error:
                unfit[f"faults.{number}.done.kind"] = _on_screen("faults", error)
        return unfit


def _written(values: Mapping[str, Any]) -> dict[str, str]:
    """Numbers of a plan as somebody would type them."""
    return {name: write_minutes(value) if name in _MINUTES else write_number(value) for name, value in values.items()}


def _on_screen(name: str, error: BadInput) -> str:
    """The sentence, beginning with the field's name on the screen instead of the plan's."""
    sentence = str(error)
    if sentence.startswith(f"{name} is "):
        return LABELS[name] + sentence.removeprefix(name)
    return capitalised(sentence)
