"""Values as people type them: moments and durations (``5:00``, ``1:02:41``, ``40s``, ``2m``), numbers, minutes, lists.

Called by parameters, faults, drafts and the fields of forms. What can't be read raises ``BadInput`` that says what to
type instead.
"""

import csv
import io
import re
from collections.abc import Iterable

from engine.errors import BadInput

LATEST_SECONDS = 525_600 * 60.0
"""The longest measuring phase that a plan can have."""
_MINUTE = 60
_EXACT_BELOW = 10**15
_CLOCK_BELOW = 10_000 * 3600
"""Seconds from which on a clock has more hours than ``_CLOCK`` reads."""
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


def read_whole(label: str, text: str) -> int:
    """A whole number; its limits are the plan's to check."""
    try:
        return int(text)
    except ValueError:
        raise BadInput(_not_read(label, text, "give a whole number")) from None


def read_number(label: str, text: str) -> float:
    """A number with a decimal point; whole ones stay ``int``, so that a sentence about them repeats what was typed."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        how = "write it with a decimal point" if "," in text else "give a number"
        raise BadInput(_not_read(label, text, how)) from None


def write_number(number: float) -> str:
    """The shortest text that ``read_number`` reads back as exactly this number."""
    if number == int(number) and abs(number) < _EXACT_BELOW:
        return str(int(number))
    return repr(number)


def read_minutes(label: str, text: str) -> float:
    """Minutes from ``30``, ``1.5``, ``90s``, ``2m`` or ``0:40``; a number alone is exact."""
    try:
        if ":" not in text and text.strip()[-1:].isdigit():
            return read_number(label, text)
        return duration_of(text, bare_seconds=_MINUTE) / _MINUTE
    except BadInput:
        raise BadInput(_not_read(label, text, "give minutes such as 30, or 90s, or 1:30")) from None


def write_minutes(minutes: float) -> str:
    """Minutes as ``m:ss``, or as a number where only that reads back as exactly these."""
    seconds = round(minutes * _MINUTE, 3)
    return time_text(seconds) if seconds / _MINUTE == minutes and seconds < _CLOCK_BELOW else write_number(minutes)


def read_list(text: str) -> tuple[str, ...]:
    """Entries between commas; one that has a comma or a quotation mark stands in quotation marks, as in CSV."""
    entries = (entry.strip() for row in csv.reader(io.StringIO(text), skipinitialspace=True) for entry in row)
    return tuple(entry for entry in entries if entry)


def write_list(entries: Iterable[str]) -> str:
    """The text that ``read_list`` reads back."""
    written = []
    for entry in entries:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([entry])
        written.append(line.getvalue())
    return ", ".join(written)


def _not_read(label: str, text: str, how: str) -> str:
    return f"{label} is '{text}'; {how}." if text.strip() else f"{label} is empty; {how}."
