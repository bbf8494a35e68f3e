"""Figures as text for screen, terminal and documents, with thin spaces between thousands unless another format is
chosen, and – for unknown; also the parts of sentences around figures.

Called by all displays; machine-readable results contain plain numbers.
"""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

UNKNOWN = "–"
SEPARATORS = {"spaces": "\u202f", "commas": ",", "none": ""}
"""What stands between thousands, by the name of a number format."""
_THIN = SEPARATORS["spaces"]
_separator = _THIN
_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:%|ms|s)(?!\w))")
_BYTE_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
_LONGEST_IN_SECONDS = 100
_MOST_DECIMALS = 12


def use_number_format(name: str) -> None:
    """Separate thousands in this way from now on, in the whole process; called once, before anything is shown."""
    global _separator  # noqa: PLW0603 - every figure of a program is written alike, and no caller knows how
    _separator = SEPARATORS[name]


def ungrouped(text: str) -> str:
    """A text without the commas between thousands that this process writes."""
    return _COMMA.sub("", text) if _separator == "," else text


def whole(number: float | Decimal | None) -> str:
    """A count or OPM: ``186 604``."""
    return UNKNOWN if number is None else grouped(f"{round(number):,}")


def decimal(number: float | Decimal | None, digits: int = 1) -> str:
    """A number with ``digits`` decimals: ``1 204.5``."""
    return UNKNOWN if number is None else grouped(f"{number:z,.{digits}f}")


def shortest(number: float | None, digits: int = 3) -> str:
    """A number with at most ``digits`` decimals, without trailing zeros: ``20``, ``0.25``."""
    if number is None:
        return UNKNOWN
    text = f"{number:z,.{digits}f}"
    return grouped(text.rstrip("0").rstrip(".") if "." in text else text)


def percent(number: float | None, digits: int = 1) -> str:
    """A number in per cent: ``29.1 %``."""
    return with_unit(decimal(number, digits), "%")


def signed_percent(number: float | None, digits: int = 1) -> str:
    """A difference in per cent with its sign: ``+119.6 %``, ``−0.2 %``; 0 has no sign."""
    return with_unit(signed(number, digits), "%")


def signed(number: float | Decimal | None, digits: int = 0) -> str:
    """A difference with its sign; one that is rounded to 0 has none."""
    text = decimal(number, digits)
    return f"+{text}" if number is not None and number > 0 and text.strip("0.") else text


def times(number: float | None, digits: int = 2) -> str:
    """A factor: ``2.20 ×``."""
    return with_unit(decimal(number, digits), "×")


def milliseconds(number: float | None) -> str:
    """A response time to three significant digits, the precision in which it is stored, without its unit."""
    return UNKNOWN if number is None else decimal(number, milliseconds_digits(number))


def milliseconds_digits(number: float) -> int:
    """The decimals of a response time that is shown to three significant digits."""
    return 0 if abs(number) >= 99.95 else 1 if abs(number) >= 9.995 else 2


def significant(number: float | None, digits: int = 3) -> str:
    """A number with ``digits`` significant digits, or all before its decimal point: ``0.00340``, ``12 345``."""
    if number is None:
        return UNKNOWN
    if not number:
        return "0"
    # Rounding may add a digit: 9.996 is 10.0, not 10.00.
    magnitude = math.floor(math.log10(abs(float(f"{number:.{digits - 1}e}"))))
    return decimal(number, min(_MOST_DECIMALS, max(0, digits - 1 - magnitude)))


def variability_text(number: float | None) -> str:
    """The variability of clients, given in per cent: ``0.15 %``."""
    return percent(number, 2)


def duration(number: float | None, *, with_tenths: bool = False) -> str:
    """A duration in seconds: ``0.8 s``, ``38 s``; from 100 s on ``4:05 min``, ``1:02:41 h``.

    Below 100 s to a tenth, which is written although it is 0 when ``with_tenths``; from there on to a second.
    """
    if number is None or round(abs(number), 1) < _LONGEST_IN_SECONDS:
        return with_unit(decimal(number) if with_tenths else shortest(number, 1), "s")
    text = clock(round(number))
    return with_unit(text, "h" if text.count(":") == 2 else "min")


def byte_size(count: float) -> str:
    """A number of bytes in decimal units: ``4.2 GB``."""
    unit = 0
    while count >= 999.5 and unit < len(_BYTE_UNITS) - 1:
        count /= 1000
        unit += 1
    return with_unit(decimal(count, 0 if unit == 0 or count >= 100 else 1), _BYTE_UNITS[unit])


def plain_spaces(text: str) -> str:
    """A text for programs, with ordinary spaces instead of the narrow ones in figures."""
    return text.replace(_THIN, " ")


def with_unit(text: str, unit: str) -> str:
    """A figure and its unit, joined by a non-breaking space; an unknown figure has no unit."""
    return text if text == UNKNOWN or not unit else f"{text}{_THIN}{unit}"


def clock(at_seconds: float | None) -> str:
    """A time on a run's clock, rounded down to a second: ``12:41``, ``1:02:41``; negative before its origin.

    It is rounded down as in ``clock_tenths``, so that both begin alike, and nothing before the origin reads 0:00.
    """
    return UNKNOWN if at_seconds is None else _clock(_milliseconds(at_seconds) // 1000)


def clock_tenths(at_seconds: float | None) -> str:
    """A moment on a run's clock, rounded down to a tenth of a second: ``12:03.4``; before its origin ``−0:30.0``."""
    if at_seconds is None:
        return UNKNOWN
    tenths = _milliseconds(at_seconds) // 100
    text = f"{_clock(abs(tenths) // 10)}.{abs(tenths) % 10}"
    return f"−{text}" if tenths < 0 else text


def _milliseconds(seconds: float) -> int:
    """Rounded to milliseconds, as moments are stored: 50.3 − 50 is 300 ms, though the difference of the floats is
    less."""
    return round(seconds * 1000)


def _clock(seconds: int) -> str:
    minutes, second = divmod(abs(seconds), 60)
    hours, minute = divmod(minutes, 60)
    text = f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
    return f"−{text}" if seconds < 0 else text


def planned_length(length_seconds: float) -> str:
    """A planned duration in the units in which it is typed: ``48 s``, ``5 min``, ``1 min 30 s``."""
    minutes, left = divmod(round(length_seconds, 3), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (left, "s"))
    return " ".join(f"{shortest(number)} {unit}" for number, unit in parts if number) or "0 s"


def moment(at: datetime | None) -> str:
    """A date and time in UTC: ``2026-11-21 14:03 UTC``."""
    return UNKNOWN if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def listed(names: Sequence[str]) -> str:
    """``mean, p95 and p99``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def counted(number: int, one: str, several: str = "") -> str:
    """A count with its noun: ``1 client``, ``4 clients``."""
    return f"{whole(number)} {one if number == 1 else several or one + 's'}"


def spaced(sentence: str) -> str:
    """A sentence with the thousands separators of its numbers changed from commas to thin spaces."""
    return _COMMA.sub(_separator, sentence)


def units_joined(sentence: str) -> str:
    """A sentence with non-breaking spaces between its figures and their units."""
    return _BEFORE_UNIT.sub(_THIN, sentence)


def capitalised(text: str) -> str:
    """A sentence with its first letter in upper case; it is not changed if it begins with a file's name."""
    is_file = "." in text.partition(" ")[0].rstrip(".:")
    return text if is_file else text[:1].upper() + text[1:]


def grouped(text: str) -> str:
    """The text of a number that has commas between thousands, with the chosen separator and a true minus."""
    return text.replace(",", _separator).replace("-", "−")
