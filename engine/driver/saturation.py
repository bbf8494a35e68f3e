"""When the workstation limits or distorts a run: the measures, their limits, and the texts of the warnings.

``WorkstationMonitor`` compares its readings with these limits and emits the texts as warnings of the run.
"""

from collections.abc import Mapping
from enum import Enum
from math import ceil, floor
from typing import Any, NamedTuple

from engine.analysis.headline import Headline
from engine.driver.process_health import LATE_TICK_MS
from engine.driver.saturation_intervals import Limit, Reading, SaturationInterval
from engine.telemetry.event import EventCode
from engine.telemetry.workstation import SaturationMeasure, SaturationRecord
from engine.telemetry.workstation_text import limit_sentence


class Cause(Enum):
    """How the workstation can impair a run; the value is the code of the events."""

    BOTTLENECK = EventCode.WORKSTATION_BOTTLENECK
    DISTORTION = EventCode.WORKSTATION_DISTORTION
    NETWORK = EventCode.WORKSTATION_NETWORK
    BUSY = EventCode.WORKSTATION_BUSY


CLIENTS, CLIENT = "clients_pct", "client_pct"
HEARTBEAT, WAITED, TICK = "heartbeat_ms", "order_waited_ms", "tick_late_ms"
LINK, SENT_AGAIN, FAILED = "link_pct", "sent_again_pct", "failed_packets_pct"
MACHINE, GC_PAUSE = "machine_pct", "gc_pause_ms"

LIMITS: Mapping[Cause, Mapping[str, Limit]] = {
    Cause.BOTTLENECK: {
        # Above 80 % of all processors some thread is nearly always waiting for one.
        CLIENTS: Limit(begins=80.0, ends=70.0),
        # A process can use one processor per user loop, and only one where each user has a thread: those threads share
        # the interpreter's lock.
        CLIENT: Limit(begins=90.0, ends=80.0),
    },
    Cause.DISTORTION: {
        # p99: later than a whole heartbeat of 10 ms, which is the magnitude of the response times to be measured.
        HEARTBEAT: Limit(begins=10.0, ends=5.0),
        # Each answer of an order waits a tenth of a millisecond for a driver with processors of its own; where it
        # shares them with the server, one or two milliseconds per order. With five, every statement is a millisecond
        # late.
        WAITED: Limit(begins=5.0, ends=3.0),
        # A late tick moves no order to another second, but from here on the live figures visibly lag behind.
        TICK: Limit(begins=LATE_TICK_MS, ends=LATE_TICK_MS),
    },
    Cause.NETWORK: {
        # Above about four fifths of a link's speed, packets usually have to queue.
        LINK: Limit(begins=80.0, ends=70.0),
        # A retransmission takes 200 ms or more: with one in a hundred the p99 shows nothing else.
        SENT_AGAIN: Limit(begins=1.0, ends=0.5),
        # Healthy links lose orders of magnitude fewer; a few dropped stray packets are normal.
        FAILED: Limit(begins=0.1, ends=0.05),
    },
    Cause.BUSY: {
        # Whatever uses them, an embedded server or another program, takes processor time from the clients.
        MACHINE: Limit(begins=95.0, ends=90.0),
    },
}


class _Phrases(NamedTuple):
    is_now: str
    was: str
    remedy: str


_END_OTHER_WORK = "end other work on this workstation, drive the load from a larger one, or with fewer {users}"
_PHRASES = {
    CLIENTS: _Phrases(
        "the clients use {value:.0f} % of its processors",
        "the clients used up to {value:.0f} % of its processors",
        "drive the load from a larger machine, or give the users more think time",
    ),
    CLIENT: _Phrases(
        "the process of {source} uses {value:.0f} % of the processor time that it can",
        "the process of {source} used up to {value:.0f} % of the processor time that it can",
        "one process drives all users of a client; spread them over more clients",
    ),
    HEARTBEAT: _Phrases(
        "a heartbeat of {source} comes {value:.0f} ms late (p99)",
        "a heartbeat of {source} came up to {value:.0f} ms late (p99)",
        _END_OTHER_WORK,
    ),
    WAITED: _Phrases(
        "{a_unit} of {source} waits {value:.0f} ms for the workstation",
        "{a_unit} of {source} waited up to {value:.0f} ms for the workstation",
        _END_OTHER_WORK,
    ),
    TICK: _Phrases(
        "a sample of {source} comes {value:.0f} ms late",
        "a sample of {source} came up to {value:.0f} ms late",
        _END_OTHER_WORK,
    ),
    LINK: _Phrases(
        "{source} carries {value:.0f} % of its speed",
        "{source} carried up to {value:.0f} % of its speed",
        "drive the load over a faster link, or from several workstations",
    ),
    SENT_AGAIN: _Phrases(
        "{value:.1f} % of what TCP sends is sent again",
        "up to {value:.1f} % of what TCP sent was sent again",
        "packets are lost on the way; look at cables, adapters and switches",
    ),
    FAILED: _Phrases(
        "{value:.1f} % of its packets are faulty or dropped",
        "up to {value:.1f} % of its packets were faulty or dropped",
        "look at the cable, the adapter and its driver",
    ),
    MACHINE: _Phrases(
        "{value:.0f} % in use",
        "up to {value:.0f} % in use",
        "end other work on this workstation, or let the server run on a machine of its own",
    ),
}
_RELATED = {
    MACHINE: "the processors were {value:.0f} % busy",
    GC_PAUSE: "Python's collector paused {source} for {value:.0f} ms",
}
_LEAST_REPORTED_MS = 1.0


def interval_record(cause: Cause, interval: SaturationInterval) -> SaturationRecord:
    """An interval that has its event, as it is stored; of one that is not over until the latest known second."""
    return SaturationRecord(
        number=interval.number,
        what=cause.name.lower(),
        from_seconds=round(interval.since, 3),
        to_seconds=round(interval.until, 3),
        measures=tuple(
            SaturationMeasure(
                measure=name,
                worst=round(reading.value, 3),
                limit=LIMITS[cause][name].begins,
                process=reading.process,
                interface=reading.source if reading.source and reading.process is None else None,
            )
            for name, reading in _over(cause, interval)
        ),
    )


def interval_data(cause: Cause, interval: SaturationInterval, headline: Headline) -> dict[str, Any]:
    """The data of the interval's event, see ``EventCode.WORKSTATION_BOTTLENECK``; ``headline`` is the run's."""
    over = [(_PHRASES[name], reading) for name, reading in _over(cause, interval)]
    present = ", ".join(_formatted(phrases.is_now, reading, headline.a_unit) for phrases, reading in over)
    past = ", ".join(_formatted(phrases.was, reading, headline.a_unit) for phrases, reading in over)
    busy = interval.worst.get(MACHINE)
    return {
        "lasted_seconds": max(1, ceil(interval.until) - floor(interval.since)) if interval.is_over else None,
        "how": past if interval.is_over else present,
        "how_past": past,
        "busy_pct": None if busy is None else round(busy.value),
    }


def interval_label(cause: Cause, interval: SaturationInterval, headline: Headline) -> str:
    """The interval in one line: what is or was over its limit, for how long and by how much; its event has the time."""
    return limit_sentence(cause.value, interval_data(cause, interval, headline))


def interval_detail(cause: Cause, interval: SaturationInterval, headline: Headline) -> str:
    """Related measures, and what the user can do."""
    others = {name: text for name, text in _RELATED.items() if name not in LIMITS[cause]}
    related = [_formatted(text, interval.worst[name]) for name, text in others.items() if _is_reported(name, interval)]
    remedies = dict.fromkeys(_PHRASES[name].remedy.format(users=headline.users) for name, _ in _over(cause, interval))
    return "; ".join([*related, *remedies])


def _over(cause: Cause, interval: SaturationInterval) -> list[tuple[str, Reading]]:
    """The measures that are or were over their limit, each with its worst reading."""
    worst = interval.worst
    return [
        (name, worst[name])
        for name, limit in LIMITS[cause].items()
        if name in worst and worst[name].value > limit.begins
    ]


def _is_reported(name: str, interval: SaturationInterval) -> bool:
    return name in interval.worst and (name != GC_PAUSE or interval.worst[name].value >= _LEAST_REPORTED_MS)


def _formatted(text: str, reading: Reading, a_unit: str = "") -> str:
    return text.format(value=reading.value, source=reading.source, a_unit=a_unit)
