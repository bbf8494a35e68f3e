"""The sentence of a warning that the workstation or a load machine was in a run's way, from the event's code and data.

Called where such a warning is emitted, and by analyses and reports that say it with its moment.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.figure_text import duration, plain_spaces
from engine.telemetry.event import EventCode, RunEvent


class _Verb(NamedTuple):
    """What is said of the workstation, of the present and of the past."""

    is_now: str
    was: str


_VERBS = {
    EventCode.WORKSTATION_BOTTLENECK: _Verb(" is the bottleneck", " was the bottleneck"),
    EventCode.WORKSTATION_DISTORTION: _Verb(" distorts the run", " distorted the run"),
    EventCode.WORKSTATION_NETWORK: _Verb("'s network limits the run", "'s network limited the run"),
    EventCode.WORKSTATION_BUSY: _Verb("'s processors are busy", "'s processors were busy"),
}
WORKSTATION_LIMITS = frozenset(_VERBS)


def statement(code: EventCode, data: Mapping[str, Any]) -> str:
    """What a machine did to the run, in the past: ``the workstation was the bottleneck``."""
    return f"{_machine_of(data)}{_VERBS[code].was}"


def how_past(data: Mapping[str, Any]) -> str:
    """The measures over their limits as a clause in the past; earlier versions stored that only of what had ended."""
    return str(data.get("how_past", data["how"]))


def limit_sentence(code: EventCode, data: Mapping[str, Any], since: str = "", *, is_over: bool = False) -> str:
    """What there is, or was and for how long, and how much: ``the workstation was the bottleneck for 17 s: …``.

    ``since``, the moment at which it began as it is shown, is named where it is given. ``is_over``: the run ended, or
    broke off, while it lasted; then it is not known for how long.
    """
    lasted = data["lasted_seconds"]
    is_now = lasted is None and not is_over
    verb, how = (_VERBS[code].is_now, data["how"]) if is_now else (_VERBS[code].was, how_past(data))
    length = "" if lasted is None else f" for {plain_spaces(duration(lasted))}"
    begin = f" from {since} on" if since and lasted is not None else ""
    return f"{_machine_of(data)}{verb}{length}{begin}: {how}"


def event_label(event: RunEvent, *, is_over: bool) -> str:
    """An event's label, of a limit in the past once its run ``is_over``."""
    return limit_sentence(event.code, event.data, is_over=is_over) if event.code in WORKSTATION_LIMITS else event.label


def _machine_of(data: Mapping[str, Any]) -> str:
    """The machine that drove the load there; the event of a load machine names it."""
    return f"load machine {data['machine']}" if "machine" in data else "the workstation"
