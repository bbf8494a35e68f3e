"""The kinds of marks that can be set by one key: label and key. The app stores the user's own in its settings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

UNDO_KEY = "Ctrl+Z"
RESERVED_KEYS: Mapping[str, str] = {
    UNDO_KEY: "undoing a mark",
    "Ctrl+1": "the page New run",
    "Ctrl+2": "the page Live",
    "Ctrl+3": "the page Library",
    "Ctrl+C": "copying",
    "Alt+PgUp": "the fault before",
    "Alt+PgDown": "the fault after",
    "Ctrl+Q": "closing the window",
    "F1": "help",
    "F2": "renaming a mark",
    "F5": "reading the library again",
    "Del": "removing a mark",
    "Space": "showing and hiding a curve",
    "Return": "pressing a button",
    "Enter": "pressing a button",
    "Esc": "leaving a field",
    "Tab": "moving between fields",
}


@dataclass(frozen=True, kw_only=True)
class MarkKind:
    """One kind: ``label`` is the label of its marks, ``key`` a key sequence in Qt's portable text, empty for none.

    A kind that ``asks_text`` opens a field for the label. Marks of a kind that ``is_fault`` are faults, from which the
    run is to recover; those of one that ``ends_fault`` say that the fault was repaired.
    """

    label: str
    key: str = ""
    asks_text: bool = False
    is_fault: bool = False
    ends_fault: bool = False


DEFAULT_MARK_KINDS = (
    MarkKind(label="Enclosure pulled", key="F9", is_fault=True),
    MarkKind(label="Failover", key="F10", is_fault=True),
    MarkKind(label="Network cut", key="F11", is_fault=True),
    MarkKind(label="Disk pulled", key="F7", is_fault=True),
    MarkKind(label="Power cut", key="F8", is_fault=True),
    MarkKind(label="Restored", key="F12", ends_fault=True),
    MarkKind(label="Note", key="Ctrl+N", asks_text=True),
)


def problem_of(kinds: Sequence[MarkKind]) -> str:
    """What is wrong with these kinds, in one sentence; empty when they are valid."""
    if any(not kind.label.strip() for kind in kinds):
        return "A kind of mark has no name; give it one or remove it."
    labels = Counter(kind.label.strip() for kind in kinds)
    label, count = labels.most_common(1)[0] if labels else ("", 0)
    if count > 1:
        return f"{count} kinds of marks are named {label}; rename one of them."
    users: dict[str, str] = {}
    for kind in kinds:
        if kind.key in RESERVED_KEYS:
            return f"{kind.key} is for {RESERVED_KEYS[kind.key]}; give {kind.label} another key."
        if kind.key and kind.key in users:
            return f"{kind.key} is the key of {users[kind.key]} and of {kind.label}; change one of them."
        if len(kind.key) == 1:
            return f"{kind.key} alone is a typing key; give {kind.label} a function key or one with Ctrl."
        users[kind.key] = kind.label
    return ""
