"""A Linux host over SSH with nothing installed there: one loop of the shell, which is asked once a second.

Each answer begins with the clock there, so that each reading is also a question to that clock. The loop is written for
POSIX shells, such as dash and busybox; besides the shell it takes ``date`` and ``grep``. It ends with its input.
"""

import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol, Self

from engine.collect.clock import ticks, utc_now
from engine.collect.host_counters import HostCounters, values_between
from engine.collect.proc_files import cpu_times, disk_counts, interface_counts, memory_state, pressure_total_us
from engine.collect.program import Line
from engine.collect.source import ClockExchange, SourceReading
from engine.collect.ssh_program import ssh_program
from engine.errors import UserError
from engine.machines.access import SshAccess

GREETING = "spindle reads"
# Only the first lines of stat and of the pressures are wanted, which the shell reads itself: the others cost more than
# all the rest. An answer is two lines: the clock, as soon as it was read, and all others with semicolons between, since
# each line that arrives wakes two threads here. "$*" joins words with the first character of IFS. Of the other files,
# grep leaves out what nobody reads: of vmstat nearly all. The speeds of links are wanted once in a while, when the
# question is not empty: some drivers ask the hardware, and read fails where a link is down or virtual.
LOOP = (
    f'LC_ALL=C; export LC_ALL; exec 2>/dev/null; nl=$(printf "\\nx"); nl=${{nl%x}}; echo "{GREETING}";'
    ' while IFS=" " read -r question; do date "+T %s.%N"; IFS=" "; all=;'
    ' read -r up rest </proc/uptime && all="U $up"; read -r line </proc/stat && all="$all;$line";'
    ' for of in cpu io memory; do read -r line </proc/pressure/$of && all="$all;P $of $line"; done;'
    ' set +f; set -- /sys/block/*; all="$all;B $*";'
    ' [ "$question" ] && for of in /sys/class/net/*/speed; do read -r line <"$of" && all="$all;L $of $line"; done;'
    ' set -f; IFS=$nl; set -- $(grep -hs -e : -e "^ " -e "^pswp" -e "^nr_free_pages "'
    ' /proc/net/dev /proc/diskstats /proc/meminfo /proc/vmstat); IFS=";"; printf "%s\\n" "$all;$*"; done'
)
# In single quotes, which every login shell takes as they are; the loop has none, and no line break.
COMMAND = f"exec sh -c '{LOOP}'"
_CONNECT_SECONDS = 30.0
_ANSWER_SECONDS = 10.0
_ASK_FOR_LINKS = "links"
_READINGS_BETWEEN_LINKS = 60
_HALF_SECOND = 0.5
# The time since the start has two decimals. Where the wall clock agrees with it this well, it is finer.
_UPTIME_STEP_SECONDS = 0.03


class Lines(Protocol):
    """A program that is given lines and writes lines, see ``engine.collect.program``."""

    def write(self, text: str) -> None: ...

    def line(self, stop: threading.Event, timeout_seconds: float) -> Line | None: ...


class LinuxSshSource:
    """Reads processors, disks, interfaces and the speeds of their links, memory, swapping, and the pressure."""

    name = "Linux over SSH"
    is_average = False

    def __init__(self, access: SshAccess, *, machine: str, interval_seconds: float = 1.0) -> None:
        self.interval_seconds = interval_seconds
        self._access = access
        self._machine = machine

    def readings(self, stop: threading.Event) -> Generator[SourceReading, None, None]:
        with closing(ssh_program(self._access, COMMAND, machine=self._machine)) as program:
            yield from loop_readings(program, stop, machine=self._machine, interval_seconds=self.interval_seconds)


def loop_readings(
    program: Lines, stop: threading.Event, *, machine: str, interval_seconds: float
) -> Generator[SourceReading, None, None]:
    """The readings of a loop that was started. Raises ``UserError``."""
    if not _is_greeted(program, stop, machine):
        return
    clock = _SteadyClock()
    before: HostCounters | None = None
    speeds_mbps: dict[str, float] = {}
    for number, _ in enumerate(ticks(interval_seconds, stop)):
        asks_for_links = number % _READINGS_BETWEEN_LINKS == 0
        answer = _ask(program, _ASK_FOR_LINKS if asks_for_links else "", stop)
        if answer is None:
            return
        parts = _Parts.of(answer.lines)
        if asks_for_links:
            speeds_mbps = parts.speeds_mbps
        now = parts.counters(clock.now(parts.up_seconds, answer.exact_utc_seconds), speeds_mbps)
        if now.cpu is None:
            raise UserError(
                f"{machine} has a shell but no /proc/stat, so it is no Linux; give its SSH access the right system."
            )
        if before is not None:
            yield SourceReading(
                values=values_between(before, now),
                here_utc_seconds=answer.sent_utc_seconds,
                source_utc_seconds=answer.there_utc_seconds,
                exchange=answer.exchange(),
            )
        before = now


def _is_greeted(program: Lines, stop: threading.Event, machine: str) -> bool:
    """Whether the loop has begun; before, a login shell may write a few lines of its own. False at a stop."""
    while (line := program.line(stop, _CONNECT_SECONDS)) is not None:
        if line.text == GREETING:
            return True
    return False


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """One answer: the clock there, which arrived first, and the lines of what was read."""

    sent_utc_seconds: float
    answered_utc_seconds: float
    there_utc_seconds: float
    resolution_seconds: float
    lines: Sequence[str]

    def exchange(self) -> ClockExchange:
        return ClockExchange(
            sent_utc_seconds=self.sent_utc_seconds,
            source_utc_seconds=self.there_utc_seconds,
            answered_utc_seconds=self.answered_utc_seconds,
            resolution_seconds=self.resolution_seconds,
        )

    @property
    def exact_utc_seconds(self) -> float | None:
        """The clock there; ``None`` if it knows whole seconds only."""
        return None if self.resolution_seconds else self.there_utc_seconds


@dataclass(kw_only=True)
class _Parts:
    """The lines of an answer by what they are of; ``memory`` is of meminfo and vmstat."""

    up_seconds: float | None = None
    processors: str = ""
    pressures: list[tuple[str, str]] = field(default_factory=list)
    block_devices: frozenset[str] = frozenset()
    interfaces: list[str] = field(default_factory=list)
    disks: list[str] = field(default_factory=list)
    memory: list[str] = field(default_factory=list)
    speeds_mbps: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Sequence[str]) -> Self:
        parts = cls()
        is_memory = False
        for line in lines:
            is_memory = is_memory or line.startswith("MemTotal:")
            if is_memory:
                parts.memory.append(line)
            elif line.startswith("cpu "):
                parts.processors = line
            elif line.startswith("U "):
                parts.up_seconds = float(line[2:])
            elif line.startswith("P "):
                resource, _, text = line[2:].partition(" ")
                parts.pressures.append((resource, text))
            elif line.startswith("B "):
                parts.block_devices = frozenset(path.rpartition("/")[2] for path in line[2:].split()) - {"*"}
            elif line.startswith("L "):
                path, _, mbps = line[2:].partition(" ")
                if mbps.isdecimal():  # -1 is unknown
                    parts.speeds_mbps[path.split("/")[-2]] = float(mbps)
            else:
                (parts.interfaces if ":" in line else parts.disks).append(line)
        return parts

    def counters(self, at_seconds: float, speeds_mbps: Mapping[str, float]) -> HostCounters:
        return HostCounters(
            at_seconds=at_seconds,
            cpu=cpu_times(self.processors),
            disks=disk_counts(self.disks, self.block_devices),
            interfaces=interface_counts(self.interfaces, speeds_mbps),
            memory=memory_state(self.memory),
            pressure_us={
                resource: total_us
                for resource, text in self.pressures
                if (total_us := pressure_total_us(text)) is not None
            },
        )


class _SteadyClock:
    """Seconds of the clock there that only goes on: by the time since its start, or, where that agrees, by the finer
    wall clock."""

    def __init__(self) -> None:
        self._before: tuple[float, float | None] | None = None
        self._now = 0.0

    def now(self, up_seconds: float | None, utc_seconds: float | None) -> float:
        """``utc_seconds`` is ``None`` for a wall clock of whole seconds."""
        if up_seconds is None:
            return time.monotonic()
        if self._before is not None:
            up_before, utc_before = self._before
            passed = up_seconds - up_before
            if utc_seconds is not None and utc_before is not None:
                by_wall = utc_seconds - utc_before
                passed = by_wall if abs(by_wall - passed) < _UPTIME_STEP_SECONDS else passed
            self._now += passed
        self._before = up_seconds, utc_seconds
        return self._now


def _ask(program: Lines, question: str, stop: threading.Event) -> _Answer | None:
    """One question and its whole answer; ``None`` at a stop."""
    sent = utc_now()
    program.write(question)
    first = program.line(stop, _ANSWER_SECONDS)
    others = None if first is None else program.line(stop, _ANSWER_SECONDS)
    if first is None or others is None:
        return None
    there, resolution = _time_there(first.text)
    return _Answer(
        sent_utc_seconds=sent,
        answered_utc_seconds=first.arrived_utc_seconds,
        there_utc_seconds=there,
        resolution_seconds=resolution,
        lines=others.text.split(";"),
    )


def _time_there(line: str) -> tuple[float, float]:
    """The seconds since 1970 and what they may be wrong by; a ``date`` without ``%N`` tells whole seconds only."""
    mark, _, text = line.partition(" ")
    seconds, _, fraction = text.partition(".")
    if mark != "T" or not seconds.isdecimal():
        raise UserError(f"the clock there was asked for, and the answer is {line[:80]!r}; is date in its PATH?")
    if fraction.isdecimal():
        return float(f"{seconds}.{fraction}"), 0.0
    return float(seconds) + _HALF_SECOND, _HALF_SECOND
