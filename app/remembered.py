"""What the settings hold as texts, as the values that the widgets take, and back."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from app.settings import Settings
from app.theme import Theme
from engine.draft.plan_draft import PlanDraft
from engine.errors import BadInput
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind, problem_of


def theme_of(settings: Settings) -> Theme:
    """The theme that was chosen; the system's when it is none that we know."""
    try:
        return Theme(settings.theme)
    except ValueError:
        return Theme.SYSTEM


def draft_of(settings: Settings) -> PlanDraft:
    """The wizard's draft as it was left; a fresh one when there is none, or one that can't be read."""
    try:
        return PlanDraft.from_dict(settings.draft) if settings.draft else PlanDraft()
    except (BadInput, KeyError, TypeError, ValueError, AttributeError):
        return PlanDraft()


def mark_kinds_of(settings: Settings) -> list[MarkKind]:
    """The user's kinds of marks; the usual ones when there are none that can be used."""
    kinds = [
        MarkKind(label=str(kind.get("label", "")), key=str(kind.get("key", "")), asks_text=bool(kind.get("asks_text")))
        for kind in settings.mark_kinds
        if isinstance(kind, Mapping)
    ]
    return list(DEFAULT_MARK_KINDS) if not kinds or problem_of(kinds) else kinds


def mark_kinds_texts(kinds: Sequence[MarkKind]) -> list[dict[str, Any]]:
    return [{"label": kind.label, "key": kind.key, "asks_text": kind.asks_text} for kind in kinds]


def layout_of(settings: Settings, page: str) -> dict[str, bytes]:
    """The states of a page's splitters and tables by their names; what can't be read is left out."""
    found = {}
    for name, text in settings.layouts.items():
        if name.startswith(f"{page}/"):
            try:
                found[name.removeprefix(f"{page}/")] = base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError, TypeError):
                continue
    return found


def layout_texts(page: str, states: Mapping[str, bytes]) -> dict[str, str]:
    return {f"{page}/{name}": base64.b64encode(state).decode() for name, state in states.items()}
