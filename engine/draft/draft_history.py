"""The states that a plan's draft went through, to go back to and forth again: whole drafts, as many as fit.

Called by the wizard, which records each edit.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict
from typing import Any

from engine.draft.plan_draft import PlanDraft

_MOST_STATES = 200


class DraftHistory:
    """Keeps copies: a draft that is edited further does not change what was recorded.

    What is typed into one field is one step, until ``end_step`` is called or another field is edited.
    """

    def __init__(self, draft: PlanDraft) -> None:
        self._past: list[PlanDraft] = []
        self._present = deepcopy(draft)
        self._future: list[PlanDraft] = []
        self._typed_in = ""

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def record(self, draft: PlanDraft) -> None:
        """The draft as it is after an edit."""
        changed = changed_paths(self._present, draft)
        if not changed:
            return
        field = changed[0] if len(changed) == 1 else ""
        if not field or field != self._typed_in:
            self._past.append(self._present)
            del self._past[:-_MOST_STATES]
        self._present, self._typed_in = deepcopy(draft), field
        self._future.clear()

    def end_step(self) -> None:
        """What is typed from now on is a step of its own."""
        self._typed_in = ""

    def undo(self) -> PlanDraft | None:
        """The draft before the last step, to be edited; ``None`` when there is none."""
        return self._go(self._past, self._future)

    def redo(self) -> PlanDraft | None:
        """The draft after the step that was undone last."""
        return self._go(self._future, self._past)

    def _go(self, there: list[PlanDraft], back: list[PlanDraft]) -> PlanDraft | None:
        if not there:
            return None
        back.append(self._present)
        self._present, self._typed_in = there.pop(), ""
        return deepcopy(self._present)


def changed_paths(before: PlanDraft, after: PlanDraft) -> list[str]:
    """The fields in which two drafts differ, named as by ``PlanDraft.validate``."""
    old, new = dict(_flat(_values(before))), dict(_flat(_values(after)))
    return [path for path in {**old, **new} if old.get(path) != new.get(path)]


def _values(draft: PlanDraft) -> dict[str, Any]:
    plain = asdict(draft)
    typed: dict[str, Any] = plain.pop("typed")
    return plain | typed


def _flat(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values within values, each under its path: ``targets.0.hosts``."""
    entries = values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else None
    if entries is None:
        yield path, values
        return
    for name, value in entries:
        yield from _flat(value, f"{path}.{name}" if path else str(name))
