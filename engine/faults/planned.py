"""Faults that stand in a plan: what is to happen, and when, counted from the beginning of the measuring phase.

A plain type, part of ``RunPlan``; ``engine.faults.schedule`` says what is due.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Self

from engine.errors import BadInput
from engine.faults.marks import checked_label

LATEST_SECONDS = 525_600 * 60.0
"""The longest measuring phase that a plan can have."""

_CLOCK = re.compile(
    r"(?:(?P<hours>\d{1,4}):(?=[0-5]\d:))?(?P<minutes>\d{1,6}):(?P<seconds>[0-5]\d(?:\.\d{1,3})?)", re.ASCII
)
_SECONDS = re.compile(r"\d{1,8}(?:\.\d{1,3})?", re.ASCII)


class FaultKind(StrEnum):
    """What a planned fault does; a mark only says that something else happens then."""

    MARK = "mark"


@dataclass(frozen=True, kw_only=True)
class PlannedFault:
    """A fault at ``at_seconds``, to the millisecond, after measuring begins; checked when it is made.

    Raises ``BadInput`` that names the field, the value and the mend.
    """

    kind: FaultKind = FaultKind.MARK
    at_seconds: float
    label: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _checked_kind(self.kind))
        object.__setattr__(self, "at_seconds", _checked_seconds(self.at_seconds))
        object.__setattr__(self, "label", checked_label(self.label))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a mark as it is typed: ``5:00 Enclosure pulled``; the time is m:ss, h:mm:ss or seconds."""
        time, *label = text.split(maxsplit=1) or [""]
        try:
            return cls(at_seconds=seconds_of(time), label="".join(label))
        except BadInput as error:
            raise BadInput(f"mark '{text}' can't be read: {error}") from error

    @property
    def text(self) -> str:
        """The mark as it is typed; ``parse`` reads it back."""
        return f"{time_text(self.at_seconds)} {self.label}"

    def to_dict(self) -> dict[str, Any]:
        """The fault as plain values for JSON and TOML; ``from_dict`` reads it back."""
        return asdict(self) | {"kind": self.kind.value}

    @classmethod
    def from_dict(cls, plain: Any) -> Self:
        """Read a fault of a plan; raises ``BadInput`` that names an unknown key, a missing one or a wrong value."""
        if not isinstance(plain, Mapping):
            raise BadInput('each of the plan\'s faults is a table, such as {at_seconds = 300, label = "Failover"}.')
        known = [field.name for field in fields(cls)]
        for key in plain:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.4)
                hint = f"did you mean '{near[0]}'" if near else f"known keys are {', '.join(known)}"
                raise BadInput(f"fault key '{key}' is not known; {hint}.")
        for key in ("at_seconds", "label"):
            if key not in plain:
                raise BadInput(f"one of the plan's faults has no {key}; give it one.")
        return cls(**plain)


def seconds_of(text: str) -> float:
    """The seconds that a time means: m:ss, h:mm:ss or seconds, with at most milliseconds; raises ``BadInput``."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise BadInput(f"time is '{text}'; write minutes and seconds such as 5:00, or seconds such as 300.")
    return round(3600 * int(match["hours"] or 0) + 60 * int(match["minutes"]) + float(match["seconds"]), 3)


def time_text(seconds: float) -> str:
    """Seconds as m:ss, or as h:mm:ss from an hour on, with milliseconds when there are any."""
    milliseconds = round(seconds * 1000)
    whole, fraction = divmod(milliseconds, 1000)
    hours, rest = divmod(whole, 3600)
    clock = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{clock}.{fraction:03}" if fraction else clock


def _checked_kind(kind: Any) -> FaultKind:
    try:
        return FaultKind(kind)
    except ValueError as error:
        raise BadInput(f"kind is {kind!r}; give one of {', '.join(FaultKind)}.") from error


def _checked_seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LATEST_SECONDS:
        raise BadInput(f"at_seconds is {value!r}; give the seconds after measuring begins, from 0.")
    return round(float(value), 3)
