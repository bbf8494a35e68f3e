"""Marks: events with a label, set by hand or by the plan, that can be renamed and moved.

Used for the run in progress and for runs in the library, with the same rules.
"""

import math
import unicodedata
from dataclasses import replace

from engine.errors import BadInput
from engine.telemetry.event import EventKind, RunEvent

LONGEST_LABEL = 200
_NO_TEXT = ("Cc", "Cs")  # control characters, and halves of characters, which no file can hold


def new_mark(
    label: str, at_seconds: float, *, detail: str = "", by_hand: bool = True, is_fault: bool = False
) -> RunEvent:
    """A mark that has no number yet. Raises ``BadInput`` for a label or a time that can't be."""
    return RunEvent(
        at_seconds=checked_time(at_seconds),
        kind=EventKind.MARK,
        label=checked_label(label),
        detail=detail,
        by_hand=by_hand,
        is_fault=is_fault,
    )


def changed_mark(mark: RunEvent, *, label: str | None = None, at_seconds: float | None = None) -> RunEvent:
    """The mark with another label or time; ``None`` leaves what is there. Raises ``BadInput`` as ``new_mark`` does."""
    return replace(
        mark,
        label=mark.label if label is None else checked_label(label),
        at_seconds=mark.at_seconds if at_seconds is None else checked_time(at_seconds),
    )


def is_mark(kind: EventKind, *, by_hand: bool) -> bool:
    """Whether such an event can be renamed, moved and removed: a mark, or the end of a fault that was set by hand."""
    return kind is EventKind.MARK or (kind is EventKind.FAULT_END and by_hand)


def checked_label(label: str) -> str:
    """The label in one line. Raises ``BadInput`` when it is empty, too long or no text."""
    if not isinstance(label, str) or not label.strip():
        raise BadInput(f"a mark's label is {label!r}; say what happens, such as Enclosure pulled.")
    text = " ".join(label.split())
    if len(text) > LONGEST_LABEL:
        raise BadInput(f"a mark's label has {len(text)} characters; give at most {LONGEST_LABEL}.")
    if any(unicodedata.category(character) in _NO_TEXT for character in text):
        raise BadInput(f"a mark's label is {label!r}; remove its control characters.")
    return text


def checked_time(at_seconds: float) -> float:
    """Seconds after the run's epoch, to the millisecond. Raises ``BadInput`` when they are negative or not finite."""
    if not math.isfinite(at_seconds) or at_seconds < 0:
        raise BadInput(f"a mark's time is {at_seconds} s; give one from 0 s, the start of the run.")
    return round(float(at_seconds), 3)
