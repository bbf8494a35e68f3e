"""What a campaign in progress reports: a code for programs, and data; ``sentence_of`` makes a sentence of them.

The terminal prints them; a window can show them without asking the library.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from engine.campaign.journal import CampaignState, EntryState
from engine.figure_text import listed
from engine.parameters.typed_text import time_text


class CampaignCode(StrEnum):
    """What happened; the comment names the event's data. ``number`` and ``path`` are those of the journal's entry."""

    BEGAN = (
        "began"  # name, is_resumed, units: how many are planned beside searches, settled: how many of them were done
    )
    STEP_BEGAN = "step began"  # number, path, kind, title, attempt
    STEP_PROGRESS = "step progress"  # number, doing, share (0 to 1, None: unknown), left_seconds (None: unknown)
    RUN_BEGAN = "run began"  # number, run_id, name
    STEP_ENDED = "step ended"  # number, path, kind, title, state, reason, run_id
    POINT_JUDGED = "point judged"  # title, field, point: ``searching.Point.to_dict``
    SEARCH_ENDED = "search ended"  # sentence
    NOTICE = "notice"  # text: a sentence that the user should read
    ENDED = "ended"  # state, reason


@dataclass(frozen=True, kw_only=True)
class CampaignEvent:
    """Something that happened in a campaign at a moment in UTC; ``data`` has the values that ``code`` names."""

    at: datetime
    code: CampaignCode
    data: Mapping[str, Any] = field(default_factory=dict)


OnEvent = Callable[[CampaignEvent], None]


def sentence_of(event: CampaignEvent) -> str:
    """The event in words for a line of text; empty for progress, which is shown in another way."""
    return _SENTENCES[event.code](event.data)


def _began(data: Mapping[str, Any]) -> str:
    if not data["is_resumed"]:
        return f"campaign '{data['name']}' begins."
    return f"campaign '{data['name']}' is resumed; {data['settled']} of its steps were done before."


def _step_began(data: Mapping[str, Any]) -> str:
    again = "" if data["attempt"] == 1 else f" (again, attempt {data['attempt']})"
    return f"{data['title']}{again} …"


def _step_ended(data: Mapping[str, Any]) -> str:
    reason = "" if data["state"] == EntryState.STOPPED else data["reason"]  # it would only repeat the state
    return f"{data['title']}: {data['state']}{_because(reason)}."


def _point_judged(data: Mapping[str, Any]) -> str:
    reasons = data["point"]["reasons"]
    return f"{data['title']}{f' ({listed(reasons)})' if reasons else ''}."


def _ended(data: Mapping[str, Any]) -> str:
    return f"the campaign {CampaignState(data['state']).predicate}{_because(data['reason'])}."


def _because(reason: str) -> str:
    return f": {reason.rstrip('.')}" if reason else ""


_SENTENCES: Mapping[CampaignCode, Callable[[Mapping[str, Any]], str]] = {
    CampaignCode.BEGAN: _began,
    CampaignCode.STEP_BEGAN: _step_began,
    CampaignCode.STEP_PROGRESS: lambda _data: "",
    CampaignCode.RUN_BEGAN: lambda data: f"run {data['run_id']} begins.",
    CampaignCode.STEP_ENDED: _step_ended,
    CampaignCode.POINT_JUDGED: _point_judged,
    CampaignCode.SEARCH_ENDED: lambda data: str(data["sentence"]),
    CampaignCode.NOTICE: lambda data: str(data["text"]),
    CampaignCode.ENDED: _ended,
}


def countdown_text(left_seconds: float) -> str:
    """What is left of an idle time or until a deadline: ``19:59``."""
    return time_text(float(round(left_seconds)))
