"""Moments and durations as people write them: ``5:00``, ``1:02:41``, ``40s``, ``500ms``, ``2m``.

Called by the plan's faults, by their text form, by the drafts and by the fields of forms.
"""

import re

from engine.errors import BadInput

LATEST_SECONDS = 525_600 * 60.0
"""The longest measuring phase that a plan can have."""

_CLOCK = re.compile(
    r"(?:(?P<hours>\d{1,4}):(?=[0-5]\d:))?(?P<minutes>\d{1,6}):(?P<seconds>[0-5]\d(?:\.\d{1,3})?)", re.ASCII
)
_SECONDS = re.compile(r"\d{1,8}(?:\.\d{1,3})?", re.ASCII)
_WITH_UNIT = re.compile(r"(?P<number>\d{1,8}(?:\.\d{1,3})?)(?P<unit>ms|s|min|m|h)", re.ASCII)
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


def seconds_of(text: str) -> float:
    """The seconds that a time means: m:ss, h:mm:ss or seconds, with at most milliseconds; raises ``BadInput``."""
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise BadInput(f"time is '{text}'; write minutes and seconds such as 5:00, or seconds such as 300.")
    return round(3600 * int(match["hours"] or 0) + 60 * int(match["minutes"]) + float(match["seconds"]), 3)


def duration_of(text: str, *, bare_seconds: float = 1.0) -> float:
    """The seconds of ``40s``, ``500ms``, ``2m``, ``1h`` or of what ``seconds_of`` reads; raises ``BadInput``.

    A number without a unit counts ``bare_seconds`` each: 60 where minutes are usual.
    """
    text = text.strip().lower()
    match = _WITH_UNIT.fullmatch(text)
    if match is not None:
        return round(float(match["number"]) * _UNIT_SECONDS[match["unit"]], 3)
    if _SECONDS.fullmatch(text):
        return round(float(text) * bare_seconds, 3)
    try:
        return seconds_of(text)
    except BadInput:
        raise BadInput(f"time is '{text}'; write seconds such as 40s, or minutes and seconds such as 0:40.") from None


def time_text(seconds: float) -> str:
    """Seconds as m:ss, or as h:mm:ss from an hour on, with milliseconds when there are any."""
    milliseconds = round(seconds * 1000)
    whole, fraction = divmod(milliseconds, 1000)
    hours, rest = divmod(whole, 3600)
    clock = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{clock}.{fraction:03}" if fraction else clock


def duration_text(seconds: float) -> str:
    """Seconds as ``5s`` or ``0.5s``; ``duration_of`` reads it back to the millisecond."""
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + "s"


def checked_duration(name: str, value: object, *, least: float = 0.0, most: float = LATEST_SECONDS) -> float:
    """The seconds to the millisecond; raises ``BadInput`` when they are no number between the limits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise BadInput(f"{name} is {value!r}; give seconds from {least:g} to {most:g}.")
    return round(float(value), 3)
