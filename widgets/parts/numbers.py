"""Numbers as they stand on the screen: thin spaces between thousands, no more digits than are true, – for unknown."""

import re

UNKNOWN = "–"
_THIN = "\u202f"
_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def whole(number: float | None) -> str:
    """A count, such as ``186 604``."""
    return UNKNOWN if number is None else f"{round(number):,}".replace(",", _THIN).replace("-", "−")


def decimal(number: float | None, digits: int = 1) -> str:
    """A number with so many decimals."""
    return UNKNOWN if number is None else f"{number:,.{digits}f}".replace(",", _THIN).replace("-", "−")


def percent(number: float | None, digits: int = 1) -> str:
    """A share that is given in per cent."""
    return UNKNOWN if number is None else f"{decimal(number, digits)}{_THIN}%"


def signed(number: float | None, digits: int = 0) -> str:
    """A difference with its sign; nothing has none."""
    if number is None:
        return UNKNOWN
    text = decimal(number, digits)
    return f"+{text}" if number > 0 and text.strip("0.,") else text


def milliseconds(number: float | None) -> str:
    """A response time to three significant digits, as it is known, without its unit."""
    if number is None:
        return UNKNOWN
    if abs(number) >= 100:
        return whole(number)
    return decimal(number, 1 if abs(number) >= 10 else 2)


def spaced(sentence: str) -> str:
    """A sentence whose numbers are grouped by commas, with the space of all other numbers in their place."""
    return _COMMA.sub(_THIN, sentence)


def clock(seconds: float) -> str:
    """A time on the run's clock: ``12:41``, ``1:02:41``; before its origin with a minus sign."""
    sign, left = ("−", -seconds) if seconds < 0 else ("", seconds)
    minutes, second = divmod(int(left), 60)
    hours, minute = divmod(minutes, 60)
    return f"{sign}{hours}:{minute:02}:{second:02}" if hours else f"{sign}{minute}:{second:02}"


def byte_size(count: float) -> str:
    """A number of bytes in decimal units, such as ``4.2 GB``."""
    unit = 0
    while count >= 999.5 and unit < len(_UNITS) - 1:
        count /= 1000
        unit += 1
    digits = 0 if unit == 0 or count >= 100 else 1
    return f"{count:.{digits}f}{_THIN}{_UNITS[unit]}"
