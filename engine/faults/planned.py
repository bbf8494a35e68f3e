"""Faults that stand in a plan: what is to happen, and when, counted from the beginning of the measuring phase.

A plain type, part of ``RunPlan``; ``engine.faults.fault_text`` reads and writes it as people type it,
``engine.faults.fault_schedule`` says what is due.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from engine.errors import BadInput
from engine.faults.injections import (
    FaultKind,
    Injection,
    LabInjection,
    action_text,
    checked_kind,
    injection_from_dict,
    injection_keys,
    injection_to_dict,
)
from engine.faults.lab_actions import LabAction
from engine.faults.marks import checked_label
from engine.parameters.typed_text import LATEST_SECONDS, checked_duration
from engine.parameters.values import did_you_mean

MOST_ROUNDS = 1_000
_MENDING = frozenset(
    (
        LabAction.THAW,
        LabAction.START,
        LabAction.PROMOTE,
        LabAction.REJOIN,
        LabAction.RESET,
        LabAction.RELEASE_WRITES,
        LabAction.RESTORE_NETWORK,
    )
)


@dataclass(frozen=True, kw_only=True)
class PlannedFault:
    """A fault at ``at_seconds``, to the millisecond, after measuring begins; checked when it is made.

    ``injection`` is what Spindle does; ``None`` is a mark. ``is_fault`` says whether the run is to recover from it:
    always settled by an injection itself, and false for a mark unless it is given. ``end`` is done
    ``end_after_seconds`` after the injection began; a lab action that has an opposite needs no ``end``. With
    ``steady_by_seconds``, it waits from ``at_seconds`` until the baseline is steady, and is left out when that is not
    so by then. ``repeat`` times in all it is done, ``every_seconds`` from one beginning to the next.

    Raises ``BadInput`` that names the field, the value and the mend.
    """

    at_seconds: float
    label: str = ""
    injection: Injection | None = None
    is_fault: bool | None = None
    end_after_seconds: float | None = None
    end: Injection | None = None
    steady_by_seconds: float | None = None
    repeat: int = 1
    every_seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_seconds", _checked_moment("at_seconds", self.at_seconds))
        self._check_label()
        self._check_judged()
        if self.injection is None:
            self._check_mark()
        self._check_end()
        self._check_steady()
        self._check_repeat()

    @property
    def kind(self) -> FaultKind:
        return FaultKind.MARK if self.injection is None else self.injection.kind

    @property
    def over_seconds(self) -> float:
        """When the last of it begins to be done, its end too: seconds after measuring begins."""
        last = self.at_seconds if self.steady_by_seconds is None else self.steady_by_seconds
        return last + (self.repeat - 1) * self.every_seconds + (self.end_after_seconds or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """The fault as plain values for JSON and TOML, an injection's own among them; ``from_dict`` reads it back."""
        plain: dict[str, Any] = {"kind": self.kind.value, "at_seconds": self.at_seconds, "label": self.label}
        if self.injection is not None:
            plain |= injection_to_dict(self.injection)
        elif self.is_fault:
            plain["is_fault"] = True
        for name in ("end_after_seconds", "steady_by_seconds"):
            if getattr(self, name) is not None:
                plain[name] = getattr(self, name)
        if self.end is not None:
            plain["end"] = injection_to_dict(self.end)
        if self.repeat > 1:
            plain |= {"repeat": self.repeat, "every_seconds": self.every_seconds}
        return plain

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """Read a fault of a plan; raises ``BadInput`` that names an unknown key, a missing one or a wrong value."""
        if not isinstance(plain, Mapping):
            raise BadInput('each of the plan\'s faults is a table, such as {at_seconds = 300, label = "Failover"}.')
        kind = checked_kind(plain.get("kind", FaultKind.MARK))
        of_fault = tuple(field.name for field in fields(cls) if field.name != "injection")
        of_injection = injection_keys(kind)
        for key in plain:
            if key not in ("kind", *of_fault, *of_injection):
                raise BadInput(
                    f"fault key '{key}' is not known; {did_you_mean(str(key), ('kind', *of_fault, *of_injection))}."
                )
        if "at_seconds" not in plain:
            raise BadInput("one of the plan's faults has no at_seconds; give it one.")
        if kind is FaultKind.MARK and "label" not in plain:
            raise BadInput("one of the plan's faults has no label; give it one.")
        values = {key: plain[key] for key in of_fault if key in plain}
        if "end" in values:
            values["end"] = injection_from_dict(values["end"])
        if kind is not FaultKind.MARK:
            own = {key: plain[key] for key in ("kind", *of_injection) if key in plain}
            values["injection"] = injection_from_dict(own)
        return cls(**values)

    def _check_label(self) -> None:
        label = self.injection.act if self.injection is not None and self.label == "" else self.label
        object.__setattr__(self, "label", checked_label(label))

    def _check_judged(self) -> None:
        if self.is_fault not in (None, True, False):
            raise BadInput(f"is_fault is {self.is_fault!r}; give true or false.")
        settled = self.injection is not None and not _mends(self.injection)
        if self.injection is not None and self.is_fault not in (None, settled):
            raise BadInput("is_fault is only for marks; leave it out.")
        object.__setattr__(self, "is_fault", settled if self.is_fault is None else bool(self.is_fault))

    def _check_mark(self) -> None:
        for name, plain in (("end_after_seconds", None), ("end", None), ("steady_by_seconds", None), ("repeat", 1)):
            if getattr(self, name) != plain:
                raise BadInput(f"{name} is only for injections, and '{self.label}' is a mark; leave it out.")

    def _check_end(self) -> None:
        if self.end_after_seconds is None:
            if self.end is not None:
                raise BadInput(f"'{self.label}' has an end and no end_after_seconds; give the time.")
            return
        seconds = checked_duration("end_after_seconds", self.end_after_seconds, least=0.001)
        object.__setattr__(self, "end_after_seconds", seconds)
        if self.end is None:
            object.__setattr__(self, "end", _opposite(self.injection, self.label))

    def _check_steady(self) -> None:
        if self.steady_by_seconds is None:
            return
        latest = _checked_moment("steady_by_seconds", self.steady_by_seconds)
        if latest < self.at_seconds:
            raise BadInput(f"steady_by_seconds is {latest:g}, before at_seconds {self.at_seconds:g}; give a later one.")
        object.__setattr__(self, "steady_by_seconds", latest)

    def _check_repeat(self) -> None:
        if type(self.repeat) is not int or not 1 <= self.repeat <= MOST_ROUNDS:
            raise BadInput(f"repeat is {self.repeat!r}; give a whole number from 1 to {MOST_ROUNDS}.")
        object.__setattr__(self, "every_seconds", checked_duration("every_seconds", self.every_seconds))
        least = self.end_after_seconds or 0.0
        if self.repeat > 1 and self.every_seconds <= least:
            raise BadInput(
                f"every_seconds is {self.every_seconds:g}; give more than the {least:g} s that '{self.label}' lasts,"
                " so that the run can settle before the next one."
            )
        if self.repeat == 1:
            object.__setattr__(self, "every_seconds", 0.0)


def _mends(injection: Injection) -> bool:
    """Whether it only brings something back, so that there is nothing to recover from."""
    return isinstance(injection, LabInjection) and injection.action in _MENDING


def _opposite(injection: Injection | None, label: str) -> Injection:
    if isinstance(injection, LabInjection):
        if injection.ended_by is not None:
            return LabInjection(action=injection.ended_by, node=injection.node)
        raise BadInput(
            f"'{action_text(injection.action)}' has no end of its own; say what ends it, such as: then rejoin."
        )
    raise BadInput(f"'{label}' has end_after_seconds and no end; say what ends it.")


def _checked_moment(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LATEST_SECONDS:
        raise BadInput(f"{name} is {value!r}; give the seconds after measuring begins, from 0.")
    return round(float(value), 3)
