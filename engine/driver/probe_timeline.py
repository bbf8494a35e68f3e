"""The probe's timeline of one store: what its hosts answered in each tenth of a second.

It becomes a sample for every second, and events when the store's state changes. The probe's threads record the answers,
its main thread takes the seconds; pure arithmetic, without a clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.databases.database import ProbeAnswer
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import NO_ANSWER, NOT_ASKED, READ_ONLY, SLOTS_PER_SECOND, WRITABLE, ProbeSample

LEAST_SLOTS = 5
"""So many tenths in a row make an event: a single one without an answer only shows a busy or distant server."""


@dataclass(frozen=True)
class SlotResult:
    """What one host answered in one slot; an answer of ``None`` means that none came in time."""

    answer: ProbeAnswer | None

    @property
    def symbol(self) -> str:
        if self.answer is None:
            return NO_ANSWER
        return WRITABLE if self.answer.takes_writes else READ_ONLY


NO_RESULT = SlotResult(None)
_Slot = dict[int, SlotResult]


class ProbeTimeline:
    """One store's slots, counted from the run's epoch. ``name`` is the store's name in events; ``hosts`` its hosts."""

    def __init__(self, store: int, name: str, hosts: Sequence[str]) -> None:
        self._store = store
        self._name = name
        self._hosts = hosts
        self._recorded: list[dict[int, SlotResult]] = [{} for _ in hosts]
        self._next_slot = 0
        self._host = ""
        self._writer = ""
        self._elsewhere_since: int | None = None
        self._down_since: int | None = None
        self._down_is_reported = False
        self._split_brain_slots = 0

    def record(self, host: int, slot: int, seen: SlotResult) -> None:
        """Record what a host, by its number, answered, unless that second was taken; one thread for each host."""
        if slot >= self._next_slot:
            self._recorded[host][slot] = seen

    def take(self, second: int) -> tuple[ProbeSample, list[RunEvent]]:
        """The sample of a second that is over, and the events in it; to be called once for each second, in order."""
        first = second * SLOTS_PER_SECOND
        self._next_slot = first + SLOTS_PER_SECOND
        events: list[RunEvent] = []
        symbols = []
        for slot in range(first, first + SLOTS_PER_SECOND):
            seen = {number: recorded.pop(slot) for number, recorded in enumerate(self._recorded) if slot in recorded}
            symbols.append(self._symbol(seen))
            events += self._state_changes(slot, symbols[-1], seen)
        return ProbeSample(store=self._store, second=second, slots="".join(symbols), host=self._host), events

    def _symbol(self, seen: _Slot) -> str:
        """The state of the store: that of its best host."""
        for symbol in (WRITABLE, READ_ONLY):
            showing = [number for number, each in seen.items() if each.symbol == symbol]
            if showing:
                names = [self._hosts[number] for number in showing]
                known = (name for name in (self._writer, self._host) if name in names)
                self._host = next(known, names[0])
                return symbol
        return NO_ANSWER if seen else NOT_ASKED

    def _state_changes(self, slot: int, symbol: str, seen: _Slot) -> list[RunEvent]:
        if symbol == NOT_ASKED:
            return []
        if symbol != WRITABLE:
            return self._unavailable(slot, seen)
        return [*self._available(slot), *self._split_brain(slot, seen)]

    def _unavailable(self, slot: int, seen: _Slot) -> list[RunEvent]:
        self._split_brain_slots = 0
        if self._down_since is None:
            self._down_since = slot
        if self._down_is_reported or slot - self._down_since + 1 < LEAST_SLOTS:
            return []
        self._down_is_reported = True
        answering = [self._hosts[number] for number, each in seen.items() if each.answer is not None]
        detail = f"{', '.join(answering)}: read-only" if answering else "no host answers, or commits"
        return [self._event(self._down_since, f"{self._name} takes no writes", detail)]

    def _available(self, slot: int) -> list[RunEvent]:
        since, was_reported = self._down_since, self._down_is_reported
        self._down_since, self._down_is_reported = None, False
        before = self._writer
        if since is None or not was_reported:
            return self._moved(slot)
        self._writer, self._elsewhere_since = self._host, None
        moved = f", before on {before}" if before not in ("", self._host) else ""
        detail = f"after {(slot - since) / SLOTS_PER_SECOND:.1f} s, on {self._host}{moved}"
        return [self._event(slot, f"{self._name} takes writes again", detail)]

    def _moved(self, slot: int) -> list[RunEvent]:
        """Another host takes the writes, and the earlier one has taken none for ``LEAST_SLOTS``, without an outage."""
        before = self._writer
        if before in ("", self._host):
            self._writer, self._elsewhere_since = self._host, None
            return []
        if self._elsewhere_since is None:
            self._elsewhere_since = slot
        since = self._elsewhere_since
        if slot - since + 1 < LEAST_SLOTS:
            return []
        self._writer, self._elsewhere_since = self._host, None
        return [self._event(since, f"{self._name} is on {self._writer} now", f"before on {before}")]

    def _split_brain(self, slot: int, seen: _Slot) -> list[RunEvent]:
        """Two servers commit independently: neither has what is written to the other."""
        writers = {
            each.answer.server: number for number, each in seen.items() if each.answer and each.symbol == WRITABLE
        }
        self._split_brain_slots = self._split_brain_slots + 1 if len(writers) > 1 else 0
        if self._split_brain_slots != LEAST_SLOTS:
            return []
        names = " and ".join(self._hosts[number] for number in sorted(writers.values()))
        label = f"{self._name}: {len(writers)} servers take writes at once"
        return [self._event(slot - LEAST_SLOTS + 1, label, f"{names}: what is written to one is missing on the other")]

    @staticmethod
    def _event(slot: int, label: str, detail: str) -> RunEvent:
        """At the end of the slot, by when its answers have come, so that no event is earlier than its cause."""
        return RunEvent(at_seconds=(slot + 1) / SLOTS_PER_SECOND, kind=EventKind.PROBE, label=label, detail=detail)
