"""Whether a machine can be read: tries each of its accesses, takes two readings, and says in sentences what works.

Called by `spindle machine test` and by the window's Test button; it changes nothing there, and may wait some seconds.
"""

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from engine.collect.clock_offset import ClockOffset
from engine.collect.source import Lacking, Source, SourceReading
from engine.collect.sources import sources_of
from engine.errors import BadInput, UserError
from engine.figure_text import counted, listed, shortest
from engine.machines.access import Access, AccessKind
from engine.machines.machine import Machine
from engine.secrets import Secret
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import HostFigure

_READINGS = 2  # rates need two
_MOST_NAMED = 6
_FAR_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class SourceReport:
    """What came of trying one source of an access; ``sentence`` begins with the access."""

    access: Access
    works: bool
    sentence: str


def check_machine(
    machine: Machine, find_secret: Callable[[str], Secret | None], stop: threading.Event | None = None
) -> Iterator[SourceReport]:
    """Try each access of a machine, one after the other, until ``stop`` is set."""
    stop = stop or threading.Event()
    for access in machine.accesses:
        yield from check_access(machine.name, access, find_secret, stop)


def check_access(
    machine: str, access: Access, find_secret: Callable[[str], Secret | None], stop: threading.Event
) -> Iterator[SourceReport]:
    """Connect by one access, and take two readings from each of its sources."""
    way = access.title if access.kind is AccessKind.LOCAL else f"{access.title} ({access.place})"
    try:
        secret = find_secret(access.secret_name) if access.secret_name else None
        sources = sources_of(access, secret, machine=machine)
    except UserError as error:
        yield SourceReport(access=access, works=False, sentence=_failed(machine, way, error))
        return
    for source in sources:
        if stop.is_set():
            return
        try:
            readings = _readings_of(source, stop)
        except UserError as error:
            yield SourceReport(access=access, works=False, sentence=_failed(machine, way, error))
            continue
        works = bool(readings and readings[-1].values)
        sentence = _what_is_read(source, readings) if works else f"{source.name} answers, and has no counter to read."
        if isinstance(source, Lacking) and source.lacking:
            sentence += f" Nothing there matches {listed(source.lacking)}."
        yield SourceReport(access=access, works=works, sentence=f"{way}: {sentence}")


def check_values(access: Access) -> None:
    """Raise ``BadInput`` for values of an access that its source can't use, such as a rule; connects to nothing."""
    try:
        sources_of(access, None, machine="")
    except BadInput:
        raise
    except UserError:
        return  # a program or a package that is missing here may be installed later


def _failed(machine: str, way: str, error: UserError) -> str:
    return f"{way}: {str(error).removeprefix(f'{machine}: ')}"


def _readings_of(source: Source, stop: threading.Event) -> list[SourceReading]:
    readings: list[SourceReading] = []
    with closing(_reading(source, stop)) as coming:
        for reading in coming:
            readings.append(reading)
            if len(readings) == _READINGS:
                break
    return readings


def _reading(source: Source, stop: threading.Event) -> Generator[SourceReading]:
    yield from source.readings(stop)


def _what_is_read(source: Source, readings: Sequence[SourceReading]) -> str:
    """``Linux over SSH works: 27 counters every 1 s; disks sda, sdb; interfaces eth0. Its clock is …``"""
    values = readings[-1].values
    parts = [f"{counted(len(values), 'counter')} every {shortest(source.interval_seconds)} s"]
    parts += _devices("disks", values, "Disk ") + _devices("interfaces", values, "Network")
    power = [each for each in values if each.name == HostFigure.POWER]
    parts += [f"{' '.join(filter(None, (each.device, shortest(each.value, 1))))} {each.unit} now" for each in power]
    sentences = [f"{source.name} works: {'; '.join(parts)}."]
    if source.is_average:
        sentences.append("These are slow averages.")
    return " ".join([*sentences, *_clock(readings)])


def _devices(what: str, values: Iterable[HostValue], prefix: str) -> list[str]:
    names = sorted({each.device for each in values if each.name.startswith(prefix) and each.device})
    if not names:
        return []
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [f"{what} {', '.join(names[:_MOST_NAMED])}{more}"]


def _clock(readings: Iterable[SourceReading]) -> list[str]:
    """How far the source's clock is off; nothing for a source without a clock of its own."""
    clock = ClockOffset()
    for reading in readings:
        if reading.exchange is not None:
            clock.add(reading.exchange)
    if clock.now is None:
        return []
    offset, error = clock.now.seconds, clock.now.error_seconds
    if abs(offset) <= error:
        return [f"Its clock agrees with this workstation's within {shortest(1000 * error, 1)} ms."]
    direction = "ahead of" if offset > 0 else "behind"
    sentence = (
        f"Its clock is {shortest(abs(offset))} s {direction} this workstation's, within {shortest(1000 * error, 1)} ms."
    )
    if abs(offset) > _FAR_SECONDS:
        sentence += " Its readings are shifted by that; better let both follow one time server."
    return [sentence]
