"""Parses the times in the files of hosts and meters: many date formats, with or without a zone.

Called by the readers of ``engine.analysis.host.files``.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

from engine.errors import BadInput

_MOMENT = re.compile(
    r"(?P<a>\d{1,4})(?P<separator>[-/.])(?P<b>\d{1,2})(?P=separator)(?P<c>\d{1,4})[T ,]+(?P<time>\d.*)", re.IGNORECASE
)
_TIME = re.compile(
    r"(?P<hour>\d{1,2})[:-](?P<minute>\d{2})(?:[:-](?P<second>\d{2})(?P<fraction>[.,]\d+)?)?"
    r"\s*(?P<half>[AP]\.?M\.?)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?(?:\s+[A-Z]{2,5})?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FIRST_EPOCH, _FIRST_EPOCH_MS = 1e8, 1e11
_DAY_SECONDS = 86_400


class DateOrder(StrEnum):
    """The order of a date's numbers when the year is not first."""

    MONTH_FIRST = "month first"
    DAY_FIRST = "day first"


class HostClock:
    """Converts one file's times to UTC seconds.

    ``zone`` applies to times that have none. ``has_zone`` is whether each time read so far had its own.
    """

    def __init__(self, zone: tzinfo, order: DateOrder = DateOrder.MONTH_FIRST) -> None:
        self._zone = zone
        self._order = order
        self.has_zone = True

    def utc_seconds(self, text: str) -> float | None:
        """Seconds since 1970; ``None`` for an invalid time."""
        text = text.strip()
        if _NUMBER.fullmatch(text):
            return _epoch(float(text))
        found = _MOMENT.fullmatch(text)
        date = None if found is None else self._date(found)
        return None if found is None or date is None else self.at(date, found["time"])

    def at(self, date: tuple[int, int, int], time: str) -> float | None:
        """A time on a separately given day (year, month, day); ``None`` for an invalid time."""
        found = _TIME.fullmatch(time.strip())
        if found is None:
            return None
        try:
            moment = datetime(*date, *_hour_minute(found), int(found["second"] or 0), tzinfo=self._zone_of(found))
        except ValueError:
            return None
        return moment.timestamp() + float((found["fraction"] or "0").replace(",", "."))

    def date(self, text: str) -> tuple[int, int, int] | None:
        """A date alone, as (year, month, day); ``None`` for an invalid one."""
        found = _MOMENT.fullmatch(f"{text.strip()} 00:00")
        return None if found is None else self._date(found)

    def _date(self, found: re.Match[str]) -> tuple[int, int, int] | None:
        a, b, c = int(found["a"]), int(found["b"]), int(found["c"])
        if len(found["a"]) == 4:
            return a, b, c
        year = c if len(found["c"]) == 4 else 2000 + c
        day_first = found["separator"] == "." or self._order is DateOrder.DAY_FIRST
        return (year, b, a) if day_first else (year, a, b)

    def _zone_of(self, found: re.Match[str]) -> tzinfo:
        zone = found["zone"]
        if zone is None:
            self.has_zone = False
            return self._zone
        if zone.upper() in ("Z", "UTC", "GMT"):
            return UTC
        return datetime.strptime(zone, "%z").tzinfo or UTC


def date_order(texts: Iterable[str], zone: tzinfo, near: datetime | None) -> DateOrder:
    """The order of the dates in a file: the one in which all are valid and they span the fewest days.

    If both are equal it is the one that is nearer to ``near``, and without that month first, as the hosts' tools write
    it.
    """
    texts = list(texts)
    return min(DateOrder, key=lambda order: _implausibility(texts, HostClock(zone, order), near))


def _implausibility(texts: list[str], clock: HostClock, near: datetime | None) -> tuple[int, int, float]:
    """How implausible an order is: the number of invalid times, whole days between the first and the last, days from
    ``near``."""
    moments = [clock.utc_seconds(text) for text in texts]
    known = [moment for moment in moments if moment is not None]
    if not known:
        return len(moments), 0, 0.0
    away = 0.0 if near is None else abs(known[0] - near.timestamp()) / _DAY_SECONDS
    return len(moments) - len(known), int((max(known) - min(known)) // _DAY_SECONDS), away


def check_zone(near: datetime | None) -> None:
    """Raises ``BadInput`` if ``near`` has no zone."""
    if near is not None and near.tzinfo is None:
        raise BadInput(f"the run's start {near} has no zone; give it in UTC.")


def _epoch(number: float) -> float | None:
    if number >= _FIRST_EPOCH_MS:
        return number / 1000
    return number if number >= _FIRST_EPOCH else None


def _hour_minute(found: re.Match[str]) -> tuple[int, int]:
    hour, half = int(found["hour"]), (found["half"] or "").upper().replace(".", "")
    if half:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a half day")
        hour = hour % 12 + (12 if half == "PM" else 0)
    return hour, int(found["minute"])
