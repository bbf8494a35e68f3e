"""When something is over its limit, since when, until when and by how much: arithmetic for ``WorkstationWatch``.

A mean or percentile over a window decides, so that a burst is no spell and a load that sways about its limit is one
and not twenty; the seconds by themselves say when it began and ended.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Reading(NamedTuple):
    """A value, and whose it is: a client process's (with its number), an interface's, nothing where it is all's."""

    value: float
    whose: str = ""
    process: int | None = None


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A spell begins above ``begins`` and goes on until the value is not above ``ends`` any more."""

    begins: float
    ends: float


@dataclass(kw_only=True)
class Spell:
    """From ``since`` to ``until``, seconds of the run; ``worst`` has the highest reading of each measure meanwhile.

    ``number`` is that of its event in the run, 0 before it was told.
    """

    since: float
    until: float
    worst: dict[str, Reading] = field(default_factory=dict)
    is_over: bool = False
    number: int = 0


Readings = Mapping[str, Reading]


class Spells:
    """The spells of one cause, which several measures tell of, each with a limit: any of them makes a spell.

    Measures without a limit go with them into ``Spell.worst``.
    """

    def __init__(self, limits: Mapping[str, Limit]) -> None:
        self.present: Spell | None = None
        self._limits = limits
        self._high: deque[tuple[float, float]] = deque()

    def feed(self, *, began: float, at: float, last: Readings, window: Readings, window_from: float) -> Spell | None:
        """Take in the newest readings; the spell that has begun or ended by them, if one has.

        ``last`` are those of ``began`` .. ``at`` by themselves, ``window`` those of ``window_from`` .. ``at``. What is
        not known at the moment is left out; of a window that is too short to judge by, everything.
        """
        is_high = any(reading.value > limit.begins for limit, reading in self._limited(last))
        if is_high:
            self._high.append((began, at))
        while self._high and self._high[0][1] <= window_from:
            self._high.popleft()
        if self.present is None:
            return self._begun(window, window_from, at)
        spell = self.present
        if is_high:
            spell.until = at
        for name, reading in window.items():
            spell.worst[name] = max(reading, spell.worst.get(name, reading), key=lambda each: each.value)
        if any(reading.value > limit.ends for limit, reading in self._limited(window)):
            return None
        return self.end()

    def end(self) -> Spell | None:
        """Nothing more is known: the present spell ends with what it has, if there is one."""
        spell, self.present = self.present, None
        if spell is not None:
            spell.is_over = True
        self._high.clear()
        return spell

    def _begun(self, window: Readings, window_from: float, at: float) -> Spell | None:
        if not any(reading.value > limit.begins for limit, reading in self._limited(window)):
            return None
        since, until = (self._high[0][0], self._high[-1][1]) if self._high else (window_from, at)
        self.present = Spell(since=since, until=until, worst=dict(window))
        return self.present

    def _limited(self, readings: Readings) -> list[tuple[Limit, Reading]]:
        return [(self._limits[name], reading) for name, reading in readings.items() if name in self._limits]
