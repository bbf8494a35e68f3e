"""When something is over its limit, since when, until when and by how much: arithmetic for ``WorkstationWatch``.

A mean or percentile over a window decides, so that a burst is no spell and a load that sways about its limit is one
and not twenty; the seconds by themselves say when it began and ended.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Reading(NamedTuple):
    """A value, and whose it is: a client's number, ``None`` where it is nobody's or everybody's."""

    value: float
    client: int | None = None


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A spell begins above ``begins`` and goes on until the value is not above ``ends`` any more."""

    begins: float
    ends: float


@dataclass(kw_only=True)
class Spell:
    """From ``since`` to ``until``, seconds of the run; ``worst`` is the highest reading of each measure over its limit.

    ``number`` is that of its event in the run, 0 before it was told.
    """

    since: float
    until: float
    worst: dict[str, Reading] = field(default_factory=dict)
    is_over: bool = False
    number: int = 0


Readings = Mapping[str, Reading]


class Spells:
    """The spells of one cause, which several measures tell of, each with a limit: any of them makes a spell."""

    def __init__(self, limits: Mapping[str, Limit]) -> None:
        self.present: Spell | None = None
        self._limits = limits
        self._high: deque[tuple[float, float]] = deque()

    def feed(self, *, began: float, at: float, last: Readings, window: Readings, window_from: float) -> Spell | None:
        """Take in the newest readings; the spell that has begun or ended by them, if one has.

        ``last`` are those of ``began`` .. ``at`` by themselves, ``window`` those of ``window_from`` .. ``at``. What is
        not known at the moment is left out.
        """
        is_high = any(reading.value > self._limits[name].begins for name, reading in last.items())
        if is_high:
            self._high.append((began, at))
        while self._high and self._high[0][1] <= window_from:
            self._high.popleft()
        spell = self.present
        if spell is None:
            over = {name: each for name, each in window.items() if each.value > self._limits[name].begins}
            if not over:
                return None
            first, end = (self._high[0][0], self._high[-1][1]) if self._high else (window_from, at)
            self.present = Spell(since=first, until=end, worst=over)
            return self.present
        if is_high:
            spell.until = at
        for name, reading in window.items():
            if reading.value > self._limits[name].begins:
                spell.worst[name] = max(reading, spell.worst.get(name, reading), key=lambda each: each.value)
        if any(reading.value > self._limits[name].ends for name, reading in window.items()):
            return None
        return self.end()

    def end(self) -> Spell | None:
        """Nothing more is known: the present spell ends with what it has, if there is one."""
        spell, self.present = self.present, None
        if spell is not None:
            spell.is_over = True
        self._high.clear()
        return spell
