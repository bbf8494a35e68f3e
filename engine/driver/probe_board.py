"""What the hosts of one store said, by tenths of a second: put together to samples, and told as events when it turns.

The probe's threads note, its ticking thread reads; pure arithmetic, without a clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.databases.database import ProbeAnswer
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import NO_ANSWER, NOT_ASKED, READ_ONLY, SLOTS_PER_SECOND, WRITABLE, ProbeSample

LEAST_SLOTS = 5
"""So many tenths in a row make an event: single ones without an answer are a busy server's, or a distant one's."""


@dataclass(frozen=True)
class Seen:
    """What one host showed in one slot; an answer of ``None`` is none in time."""

    answer: ProbeAnswer | None

    @property
    def sign(self) -> str:
        if self.answer is None:
            return NO_ANSWER
        return WRITABLE if self.answer.takes_writes else READ_ONLY


NOTHING = Seen(None)
_Slot = dict[int, Seen]


class ProbeBoard:
    """One store's slots, counted from the run's epoch. ``name`` is what events call the store; ``hosts`` its hosts."""

    def __init__(self, store: int, name: str, hosts: Sequence[str]) -> None:
        self._store = store
        self._name = name
        self._hosts = hosts
        self._noted: list[dict[int, Seen]] = [{} for _ in hosts]
        self._next_slot = 0
        self._host = ""
        self._writer = ""
        self._elsewhere_since: int | None = None
        self._out_since: int | None = None
        self._out_is_told = False
        self._double_slots = 0

    def note(self, host: int, slot: int, seen: Seen) -> None:
        """Note what the host of this number showed, unless its second is taken; each host by one thread of its own."""
        if slot >= self._next_slot:
            self._noted[host][slot] = seen

    def take(self, second: int) -> tuple[ProbeSample, list[RunEvent]]:
        """A second that is over, each once and in order, with what is to be told of it."""
        first = second * SLOTS_PER_SECOND
        self._next_slot = first + SLOTS_PER_SECOND
        events: list[RunEvent] = []
        signs = []
        for slot in range(first, first + SLOTS_PER_SECOND):
            seen = {number: noted.pop(slot) for number, noted in enumerate(self._noted) if slot in noted}
            signs.append(self._sign(seen))
            events += self._turns(slot, signs[-1], seen)
        return ProbeSample(store=self._store, second=second, slots="".join(signs), host=self._host), events

    def _sign(self, seen: _Slot) -> str:
        """What a store shows: what its best host does."""
        for sign in (WRITABLE, READ_ONLY):
            showing = [number for number, each in seen.items() if each.sign == sign]
            if showing:
                names = [self._hosts[number] for number in showing]
                known = (name for name in (self._writer, self._host) if name in names)
                self._host = next(known, names[0])
                return sign
        return NO_ANSWER if seen else NOT_ASKED

    def _turns(self, slot: int, sign: str, seen: _Slot) -> list[RunEvent]:
        if sign == NOT_ASKED:
            return []
        if sign != WRITABLE:
            return self._out(slot, seen)
        return [*self._back(slot), *self._doubled(slot, seen)]

    def _out(self, slot: int, seen: _Slot) -> list[RunEvent]:
        self._double_slots = 0
        if self._out_since is None:
            self._out_since = slot
        if self._out_is_told or slot - self._out_since + 1 < LEAST_SLOTS:
            return []
        self._out_is_told = True
        answering = [self._hosts[number] for number, each in seen.items() if each.answer is not None]
        detail = f"{', '.join(answering)}: read-only" if answering else "no host answers, or commits"
        return [self._event(self._out_since, f"{self._name} takes no writes", detail)]

    def _back(self, slot: int) -> list[RunEvent]:
        since, was_told = self._out_since, self._out_is_told
        self._out_since, self._out_is_told = None, False
        before = self._writer
        if since is None or not was_told:
            return self._moved(slot)
        self._writer, self._elsewhere_since = self._host, None
        moved = f", before on {before}" if before not in ("", self._host) else ""
        detail = f"after {(slot - since) / SLOTS_PER_SECOND:.1f} s, on {self._host}{moved}"
        return [self._event(slot, f"{self._name} takes writes again", detail)]

    def _moved(self, slot: int) -> list[RunEvent]:
        """Another host takes the writes, with no outage to speak of, and the one before for so long none."""
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

    def _doubled(self, slot: int, seen: _Slot) -> list[RunEvent]:
        """Two servers that both commit: what one has, the other lacks."""
        writers = {each.answer.server: number for number, each in seen.items() if each.answer and each.sign == WRITABLE}
        self._double_slots = self._double_slots + 1 if len(writers) > 1 else 0
        if self._double_slots != LEAST_SLOTS:
            return []
        names = " and ".join(self._hosts[number] for number in sorted(writers.values()))
        label = f"{self._name}: {len(writers)} servers take writes at once"
        return [self._event(slot - LEAST_SLOTS + 1, label, f"{names}: what is written to one is missing on the other")]

    @staticmethod
    def _event(slot: int, label: str, detail: str) -> RunEvent:
        return RunEvent(at_seconds=slot / SLOTS_PER_SECOND, kind=EventKind.PROBE, label=label, detail=detail)
