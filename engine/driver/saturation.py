"""What it means that the workstation limits or distorts a run: the measures, their limits, and the words for them.

``WorkstationWatch`` holds its readings against these limits, and tells the words as warnings of the run.
"""

from collections.abc import Mapping
from enum import Enum
from math import ceil, floor
from typing import Any, NamedTuple

from engine.driver.spells import Limit, Reading, Spell
from engine.driver.vitals import LATE_TICK_MS
from engine.telemetry.event import EventCode
from engine.telemetry.workstation_text import limit_sentence


class Cause(Enum):
    """How the workstation can be in the way; the value is the code of its events."""

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
        # Above 80 % of all processors there is nearly always somebody who waits for one.
        CLIENTS: Limit(begins=80.0, ends=70.0),
        # A process can use a processor for each of its user loops, and one where its users have threads of their own:
        # these wait for each other's interpreter.
        CLIENT: Limit(begins=90.0, ends=80.0),
    },
    Cause.DISTORTION: {
        # p99: later than a whole beat of 10 ms, which is the size of the response times that are to be told.
        HEARTBEAT: Limit(begins=10.0, ends=5.0),
        # The answers of an order wait a tenth of a millisecond each for a driver that has processors of its own; where
        # it shares them with the server, a millisecond or two in sum. Five put every next statement off by one.
        WAITED: Limit(begins=5.0, ends=3.0),
        # An order belongs to its second however late the tick is; from here on the live figures lag behind visibly.
        TICK: Limit(begins=LATE_TICK_MS, ends=LATE_TICK_MS),
    },
    Cause.NETWORK: {
        # From about four fifths of a link's speed on, packets wait for the link more often than not.
        LINK: Limit(begins=80.0, ends=70.0),
        # Sending again takes 200 ms and more: one in a hundred is all that a p99 shows.
        SENT_AGAIN: Limit(begins=1.0, ends=0.5),
        # Sound links lose fewer by orders of magnitude; a few drops of stray packets are normal.
        FAILED: Limit(begins=0.1, ends=0.05),
    },
    Cause.BUSY: {
        # Whoever uses them: an embedded server's processes, or another program, take the clients' share as well.
        MACHINE: Limit(begins=95.0, ends=90.0),
    },
}


class _Words(NamedTuple):
    is_now: str
    was: str
    mend: str


_END_OTHER_WORK = "end other work on this workstation, drive the load from a larger one, or with fewer users"
_WORDS = {
    CLIENTS: _Words(
        "the clients use {value:.0f} % of its processors",
        "the clients used up to {value:.0f} % of its processors",
        "drive the load from a larger machine, or give the users more think time",
    ),
    CLIENT: _Words(
        "the process of {whose} uses {value:.0f} % of the processor time that it can",
        "the process of {whose} used up to {value:.0f} % of the processor time that it can",
        "one process drives all users of a client; spread them over more clients",
    ),
    HEARTBEAT: _Words(
        "a heartbeat of {whose} comes {value:.0f} ms late (p99)",
        "a heartbeat of {whose} came up to {value:.0f} ms late (p99)",
        _END_OTHER_WORK,
    ),
    WAITED: _Words(
        "an order of {whose} waits {value:.0f} ms for the workstation",
        "an order of {whose} waited up to {value:.0f} ms for the workstation",
        _END_OTHER_WORK,
    ),
    TICK: _Words(
        "a sample of {whose} comes {value:.0f} ms late",
        "a sample of {whose} came up to {value:.0f} ms late",
        _END_OTHER_WORK,
    ),
    LINK: _Words(
        "{whose} carries {value:.0f} % of its speed",
        "{whose} carried up to {value:.0f} % of its speed",
        "drive the load over a faster link, or from several workstations",
    ),
    SENT_AGAIN: _Words(
        "{value:.1f} % of what TCP sends is sent again",
        "up to {value:.1f} % of what TCP sent was sent again",
        "packets are lost on the way; look at cables, adapters and switches",
    ),
    FAILED: _Words(
        "{value:.1f} % of its packets are faulty or dropped",
        "up to {value:.1f} % of its packets were faulty or dropped",
        "look at the cable, the adapter and its driver",
    ),
    MACHINE: _Words(
        "{value:.0f} % in use",
        "up to {value:.0f} % in use",
        "end other work on this workstation, or let the server run on a machine of its own",
    ),
}
_BESIDE = {
    MACHINE: "the processors were {value:.0f} % busy",
    GC_PAUSE: "Python's collector paused {whose} for {value:.0f} ms",
}
_LEAST_TOLD_MS = 1.0


def spell_figures(cause: Cause, spell: Spell) -> dict[str, Any]:
    """The same as plain values: ``what`` limited or distorted the run, from when to when, and how much at its worst.

    ``to_seconds`` is the latest known of a spell that goes on. A measure says of which client ``process`` its worst
    was, by the number of its first client, or of which ``interface``; of neither where it is the whole workstation's.
    """
    return {
        "what": cause.name.lower(),
        "from_seconds": round(spell.since, 3),
        "to_seconds": round(spell.until, 3),
        "measures": [
            {
                "measure": name,
                "worst": round(reading.value, 3),
                "limit": LIMITS[cause][name].begins,
                "process": reading.process,
                "interface": reading.whose if reading.whose and reading.process is None else None,
            }
            for name, reading in _over(cause, spell)
        ],
    }


def spell_data(cause: Cause, spell: Spell) -> dict[str, Any]:
    """The data of a spell's event, see ``EventCode.WORKSTATION_BOTTLENECK``."""
    over = [(_WORDS[name], reading) for name, reading in _over(cause, spell)]
    busy = spell.worst.get(MACHINE)
    return {
        "lasted_seconds": max(1, ceil(spell.until) - floor(spell.since)) if spell.is_over else None,
        "how": ", ".join(_filled(words.was if spell.is_over else words.is_now, reading) for words, reading in over),
        "busy_pct": None if busy is None else round(busy.value),
    }


def spell_label(cause: Cause, spell: Spell) -> str:
    """The one line of a spell: what there is, or was and for how long, and how much; its event says since when."""
    return limit_sentence(cause.value, spell_data(cause, spell))


def spell_detail(cause: Cause, spell: Spell) -> str:
    """What else is known of it, and what can be done."""
    others = {name: text for name, text in _BESIDE.items() if name not in LIMITS[cause]}
    beside = [_filled(text, spell.worst[name]) for name, text in others.items() if _is_worth_telling(name, spell)]
    mends = dict.fromkeys(_WORDS[name].mend for name, _ in _over(cause, spell))
    return "; ".join([*beside, *mends])


def _over(cause: Cause, spell: Spell) -> list[tuple[str, Reading]]:
    """The names of the measures that are or were over their limit, with their worst."""
    worst = spell.worst
    return [
        (name, worst[name])
        for name, limit in LIMITS[cause].items()
        if name in worst and worst[name].value > limit.begins
    ]


def _is_worth_telling(name: str, spell: Spell) -> bool:
    return name in spell.worst and (name != GC_PAUSE or spell.worst[name].value >= _LEAST_TOLD_MS)


def _filled(text: str, reading: Reading) -> str:
    return text.format(value=reading.value, whose=reading.whose)
