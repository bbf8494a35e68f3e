"""Whether the workstation itself limits a run, or distorts what it measures, watched while the run goes on.

Called by ``Run`` on its collector thread; looking costs well under a millisecond a process and never waits. What it
finds becomes warnings of the run: an event for each spell, which is told again, with its worst, when that has grown
notably, at most once a second, and with its end when the spell is over. So it stands, also if the run is cut off,
wherever the events of a run are shown.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.driver.clock_watch import ClockFinding, ClockWatch
from engine.driver.cpu_meter import CpuMeter, Meter, Pids, usable_processors
from engine.driver.messages import VitalSigns
from engine.driver.network_meter import NetworkMeter, NetworkReading
from engine.driver.saturation import (
    CLIENT,
    CLIENTS,
    LIMITS,
    MACHINE,
    TICK,
    Cause,
    spell_data,
    spell_detail,
    spell_figures,
    spell_label,
)
from engine.driver.spells import Readings, Spell, Spells
from engine.driver.timebase import Timebase
from engine.driver.vitals import LATE_TICK_MS
from engine.driver.watch_windows import WINDOW_SECONDS, CpuWindow, NetworkWindow, VitalsWindow
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import WorkstationLoad

EVERY_SECONDS = 1.0
# The heart of one of 24 processes beats 12 times a second: a p99 wants some sixty beats.
VITALS_AFTER_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class Meters:
    """What reads the system; ``processors`` are those that this process, and so those of its clients, may use."""

    cpu: Meter
    network: Callable[[Pids], NetworkReading | None]
    clocks: ClockWatch
    processors: int


def real_meters(labels: Mapping[int, str]) -> Meters:
    """The meters of this machine, for the client processes of these labels."""
    return Meters(cpu=CpuMeter(), network=NetworkMeter(), clocks=ClockWatch(labels), processors=usable_processors())


class WorkstationWatch:
    """``labels`` say whose each client process is, by its number. ``tell`` puts an event into the run and returns its
    number; one that has a number takes the place of the one told before. ``clock`` is monotonic.
    """

    def __init__(
        self,
        labels: Mapping[int, str],
        tell: Callable[[RunEvent], int],
        *,
        meters: Meters | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.load: WorkstationLoad | None = None
        self._tell = tell
        self._meters = meters or real_meters(labels)
        self._clock = clock
        self._next_look = clock()
        self._timebase = Timebase(self._next_look)
        self._looked_at = 0.0
        self._ordering_since: float | None = None
        self._cpu = CpuWindow(labels, self._meters.processors)
        self._network = NetworkWindow()
        self._vitals = VitalsWindow(labels)
        self._spells = {cause: Spells(limits) for cause, limits in LIMITS.items()}
        self._told: list[tuple[Cause, Spell]] = []

    def begin(self, timebase: Timebase) -> None:
        """The run has its second 0."""
        self._timebase = timebase

    def hear(self, signs: VitalSigns) -> None:
        """Take in what a client process tells of itself."""
        now = self._clock()
        for finding in self._meters.clocks.heard(signs.process, signs.told_at, now):
            self._tell(_of_clocks(max(0.0, self._timebase.at(now)), finding))
        self._cpu.usable[signs.process] = signs.usable_processors
        self._vitals.add(signs)

    @property
    def clock_offsets_ms(self) -> Mapping[int, float]:
        """How far each client process's clock is from the run's, see ``ClockWatch``."""
        return self._meters.clocks.offsets_ms

    @property
    def spells(self) -> list[dict[str, Any]]:
        """Every spell that was told, in the order in which they began, see ``spell_figures``."""
        told = sorted(self._told, key=lambda each: each[1].since)
        return [spell_figures(cause, spell) for cause, spell in told]

    def look(self, pids: Pids, *, orders: bool) -> None:
        """Take a reading when a second is over, and tell what there is to tell.

        ``orders`` is whether users order by now: before that nobody waits for an answer.
        """
        now = self._clock()
        if now < self._next_look:
            return
        self._next_look = now + EVERY_SECONDS
        at = max(0.0, self._timebase.at(now))
        for finding in self._meters.clocks.look():
            self._tell(_of_clocks(at, finding))
        self._watch_cpu(pids, at)
        self._watch_network(pids, at)
        self._watch_vitals(pids, at, orders=orders)
        self._looked_at = at
        if self._cpu.seconds:
            self._sum_up()

    def close(self) -> None:
        """The run is over, and with it whatever still goes on."""
        for cause, spells in self._spells.items():
            spell = spells.end()
            if spell is not None:
                self._say(cause, spell)

    def _watch_cpu(self, pids: Pids, at: float) -> None:
        reading = self._meters.cpu(pids)
        if reading is None or reading.seconds <= 0:
            return
        self._cpu.add(reading)
        whole = self._cpu.whole() if self._cpu.seconds >= WINDOW_SECONDS else {}
        for cause in (Cause.BOTTLENECK, Cause.BUSY):
            self._judge(cause, at, self._cpu.last(), whole)

    def _watch_network(self, pids: Pids, at: float) -> None:
        reading = self._meters.network(pids)
        if reading is None:
            return
        self._network.add(reading)
        whole = self._network.whole() if self._network.seconds >= WINDOW_SECONDS else {}
        self._judge(Cause.NETWORK, at, self._network.last(), whole)

    def _watch_vitals(self, pids: Pids, at: float, *, orders: bool) -> None:
        new = self._vitals.take_new()
        if not orders:
            self._ordering_since = None
        elif self._ordering_since is None:
            self._ordering_since = at
        first = max(self._ordering_since or 0.0, at - WINDOW_SECONDS)
        self._vitals.forget(self._timebase.moment(first), all_but=pids)
        if self._ordering_since is None:
            return
        last, whole = self._vitals.last(new), {}
        if at - self._ordering_since >= VITALS_AFTER_SECONDS:
            machine = {MACHINE: self._cpu.last()[MACHINE]} if self._cpu.seconds else {}
            whole = {**self._vitals.whole(), **machine}
        # A process that stood still told nothing meanwhile: what it tells now is of all that time.
        late_ms = last[TICK].value if TICK in last else 0.0
        stood_still_seconds = late_ms / 1000 if late_ms > LATE_TICK_MS else 0.0
        began = max(self._ordering_since, self._looked_at - stood_still_seconds)
        self._judge(Cause.DISTORTION, at, last, whole, began=began)

    def _judge(self, cause: Cause, at: float, last: Readings, whole: Readings, *, began: float | None = None) -> None:
        window_from = max(0.0, at - WINDOW_SECONDS)
        spells = self._spells[cause]
        began = self._looked_at if began is None else began
        spell = spells.feed(began=began, at=at, last=last, window=whole, window_from=window_from)
        if spell is not None:
            self._say(cause, spell)

    def _say(self, cause: Cause, spell: Spell) -> None:
        if not spell.number:
            self._told.append((cause, spell))
        spell.number = self._tell(
            RunEvent(
                at_seconds=round(spell.since, 3),
                kind=EventKind.WARNING,
                code=cause.value,
                data=spell_data(cause, spell),
                label=spell_label(cause, spell),
                detail=spell_detail(cause, spell),
                number=spell.number,
            )
        )

    def _sum_up(self) -> None:
        use = self._cpu.whole()
        present = [(cause, spells.present) for cause, spells in self._spells.items()]
        self.load = WorkstationLoad(
            machine_pct=round(use[MACHINE].value, 1),
            clients_pct=round(use[CLIENTS].value, 1),
            busiest_process_pct=round(use[CLIENT].value, 1),
            is_bottleneck=self._spells[Cause.BOTTLENECK].present is not None,
            heartbeat_ms=self._vitals.heartbeat_ms(),
            remarks=tuple(spell_label(cause, spell) for cause, spell in present if spell is not None),
        )


def _of_clocks(at: float, finding: ClockFinding) -> RunEvent:
    return RunEvent(
        at_seconds=round(at, 3),
        kind=EventKind.WARNING,
        code=finding.code,
        data=finding.data,
        label=finding.label,
        detail=finding.detail,
    )
