"""Reading what somebody typed into a field, and writing a value as somebody would type it.

Called by the drafts; what can't be read raises ``BadInput`` that says what to type instead.
"""

import csv
import io
from collections.abc import Iterable

from engine.errors import BadInput
from engine.faults.times import duration_of, time_text

_EXACT_BELOW = 10**15
_MINUTE = 60


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
    return time_text(seconds) if seconds / _MINUTE == minutes and seconds < _EXACT_BELOW else write_number(minutes)


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
