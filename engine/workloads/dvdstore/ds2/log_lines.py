"""Parses the lines of a DVD Store driver's output into reports, without interpreting them.

Called by ``engine.workloads.dvdstore.ds2.log``. A driver prints a report every ten seconds (``et= … n_overall= … opm=
…``), after it one more for each target when there are several, and at the end the same as ``Final``. DS2, DS2.1 and DVD
Store 3 differ slightly, and consoles have wrapped lines, even within names and numbers; all of these are read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from engine.workloads.dvdstore.ds2.parameters import HOLDS_PASSWORD, NAMES

_COUNTS = {
    "orders": "n_overall",
    "logins": "n_login_overall",
    "new_customers": "n_newcust_overall",
    "browses": "n_browse_overall",
    "purchases": "n_purchase_overall",
}
_MEANS = {
    "order_ms": "rt_tot_avg",
    "sampled_ms": "rt_tot_sampled",
    "last_100_max_ms": "rt_tot_lastn_max",
    "login_ms": "rt_login_avg",
    "new_customer_ms": "rt_newcust_avg",
    "browse_ms": "rt_browse_avg",
    "purchase_ms": "rt_purchase_avg",
}
_REPORT = re.compile(r"(?:^|\s)(?P<final>Final\s*(?:\((?P<date>[^)]*)\))?\s*:\s*)?et=\s*(?P<et>\d+(?:[.,]\d+)?)")
_ENDED = re.compile(r"(?:rollbacks\s*:.*%|rollback_rate)\s*=\s*\S+\s*$")
_NEW_LINE_STARTS = re.compile(
    r"\s*(?:$|Stats reset|Run over|Thread |threads\[|Controller|Individual |host |Error|n_purchase_from_start)"
)
_STARTED = re.compile(r"Controller \((?P<date>[^)]*)\):.*issuing Start")
_CONNECTED = re.compile(r"Thread (\d+): connected to (\S+)")
_FROM_START = re.compile(r"n_purchase_from_start=\s*(\d+)\s+n_rollbacks_from_start=\s*(\d+)")
_STOPPED_USER = re.compile(r"Thread \d+: (Error .*|can't connect .*)exiting")
_ECHO = re.compile(r"(?:^|\s)target=\s")
_ECHO_NAME = re.compile(rf"({'|'.join(sorted(NAMES, key=len, reverse=True))})\s*=")
_EQUALS_LOST = re.compile(r"(n_line_items)(?=\d)")  # DVD Store 3 prints this one so
_DATES = (
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",
)


@dataclass(frozen=True, kw_only=True)
class Report:
    """One report: cumulative since the last reset. ``values`` are its counts and mean milliseconds."""

    et: float
    final: bool
    values: Mapping[str, int]
    finished_at: datetime | None = None

    @property
    def orders(self) -> int:
        return self.values["orders"]


@dataclass(frozen=True, kw_only=True)
class Reset:
    """The driver reset its counts and its clock: the warm-up is over."""


@dataclass(frozen=True, kw_only=True)
class Start:
    """All users were connected and began."""

    at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Connected:
    """An emulated user, by the driver's number, connected to a target."""

    user: int
    target: str


@dataclass(frozen=True, kw_only=True)
class StoppedUser:
    """An emulated user ended because of an error: DS2's users do not reconnect."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The driver's parameters; ``n_threads`` is of all targets together. No password is kept."""

    values: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class FromStart:
    """The counts since the start, including warm-up and stopping; new orders in the store are the difference."""

    purchases: int
    rollbacks: int


Entry = Report | Reset | Start | Connected | StoppedUser | Parameters | FromStart


def entries_of(text: str) -> Iterator[Entry]:
    """The entries of a driver's output, in order; other lines are ignored."""
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if _REPORT.search(line) or _ECHO.search(line):
            while number < len(lines) and _is_continued(line, lines[number]):
                line += lines[number]
                number += 1
        entry = _entry(line)
        if entry is not None:
            yield entry


def parse_date(text: str) -> datetime | None:
    """A driver's date, in its machine's format and without zone; read as UTC, ``None`` if unreadable.

    12/11/2010 is the 11th of December, as on the American machines that nearly all published logs come from.
    """
    plain = " ".join(text.split())
    for spelling in _DATES:
        try:
            return datetime.strptime(plain, spelling).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _is_continued(line: str, following: str) -> bool:
    """Whether the next line continues this one, wrapped at a console's width."""
    if _REPORT.search(following) or _NEW_LINE_STARTS.match(following):
        return False
    return not _ENDED.search(line)


def _entry(line: str) -> Entry | None:
    if report := _REPORT.search(line):
        return _report(report, line[report.end() :])
    if _ECHO.search(line):
        return Parameters(values=_echoed(line))
    if "Stats reset" in line:
        return Reset()
    if started := _STARTED.search(line):
        return Start(at=parse_date(started["date"]))
    return _note(line)


def _note(line: str) -> Entry | None:
    if connected := _CONNECTED.search(line):
        return Connected(user=int(connected[1]), target=connected[2])
    if stopped := _STOPPED_USER.search(line):
        return StoppedUser(text=stopped[1].rstrip(" ,;").removesuffix("thread").rstrip(" ,;"))
    if found := _FROM_START.search(line):
        return FromStart(purchases=int(found[1]), rollbacks=int(found[2]))
    return None


def _report(start: re.Match[str], rest: str) -> Report | None:
    values = {ours: _value(rest, theirs) for ours, theirs in _COUNTS.items()}
    values |= {ours: _value(rest, rf"{theirs}(?:_msec|_ms)?") for ours, theirs in _MEANS.items()}
    values["opm"] = _value(rest, "opm")
    values["rollbacks"] = _value(rest, r"(?:n_rollbacks_overall|rollbacks\s*:\s*n)")
    printed = {name: value for name, value in values.items() if value is not None}
    if "orders" not in printed:
        return None
    return Report(
        et=float(start["et"].replace(",", ".")),
        final=start["final"] is not None,
        values=printed,
        finished_at=parse_date(start["date"] or ""),
    )


def _value(text: str, name: str) -> int | None:
    """The value of a name; a mean over nothing, which DS2 prints as the smallest integer, is ``None``."""
    match = re.search(rf"{name}\s*=\s*(-?\d+)", text)
    return int(match[1]) if match is not None and not match[1].startswith("-") else None


def _echoed(line: str) -> dict[str, str]:
    parts = _ECHO_NAME.split(_EQUALS_LOST.sub(r"\1= ", line))
    echoed = {name: value.strip() for name, value in zip(parts[1::2], parts[2::2], strict=True) if value.strip()}
    return {name: value for name, value in echoed.items() if name != HOLDS_PASSWORD}
