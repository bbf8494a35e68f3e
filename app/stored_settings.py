"""Converts texts of the settings to the values that widgets take, and back."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from app.settings import Settings
from app.window.theme import Theme
from engine.analysis.recovery.settings import RecoverySettings
from engine.draft.plan_draft import PlanDraft
from engine.draft.stored_draft import draft_from_dict
from engine.errors import BadInput
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, RESERVED_KEYS, MarkKind, problem_of


def theme_of(settings: Settings) -> Theme:
    """The chosen theme; the system's for an unknown name."""
    try:
        return Theme(settings.theme)
    except ValueError:
        return Theme.SYSTEM


def draft_of(settings: Settings) -> PlanDraft:
    """The wizard's stored draft; a new one when there is none, or when it can't be read."""
    try:
        return draft_from_dict(settings.draft) if settings.draft else PlanDraft()
    except (BadInput, KeyError, TypeError, ValueError, AttributeError):
        return PlanDraft()


def recovery_settings_of(settings: Settings) -> RecoverySettings:
    """How recoveries are judged; the defaults when the stored settings can't be read."""
    try:
        return RecoverySettings.from_dict(settings.recovery)
    except BadInput:
        return RecoverySettings()


def mark_kinds_of(settings: Settings) -> list[MarkKind]:
    """The user's kinds of marks; the defaults when none are usable."""
    kinds = [_mark_kind_of(kind) for kind in settings.mark_kinds if isinstance(kind, Mapping)]
    return list(DEFAULT_MARK_KINDS) if not kinds or problem_of(kinds) else kinds


def _mark_kind_of(kind: Mapping[str, Any]) -> MarkKind:
    """One kind. Older settings do not say whether it is a fault: then the default kind of the same name decides.

    A key that the window has come to use itself is dropped, so that the kind stays.
    """
    label, key = str(kind.get("label", "")), str(kind.get("key", ""))
    usual = next((each for each in DEFAULT_MARK_KINDS if each.label == label), MarkKind(label=label))
    is_fault = bool(kind.get("is_fault", usual.is_fault))
    return MarkKind(
        label=label,
        key="" if key in RESERVED_KEYS else key,
        asks_text=bool(kind.get("asks_text")),
        is_fault=is_fault,
        ends_fault=not is_fault and bool(kind.get("ends_fault", usual.ends_fault)),
    )


def folders_of(settings: Settings) -> dict[str, str]:
    """The folders in which file dialogs begin, by purpose."""
    return {purpose: folder for purpose, folder in settings.folders.items() if isinstance(folder, str)}


def mark_kinds_texts(kinds: Sequence[MarkKind]) -> list[dict[str, Any]]:
    return [asdict(kind) for kind in kinds]


def layout_of(settings: Settings, page: str) -> dict[str, bytes]:
    """The states of a page's splitters and tables by name; unreadable ones are left out."""
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
