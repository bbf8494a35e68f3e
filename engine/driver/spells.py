"""When something is over its limit, since when, until when and by how much: arithmetic for ``WorkstationWatch``.

A mean or percentile over a window decides, so that a burst is no spell and a load that sways about its limit is one
and not twenty; the seconds by themselves say when it began and ended.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# What has grown by less is told well enough by what was told before.
_NOTABLE_GROWTH = 1.25


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


class _High(NamedTuple):
    """A second that was high by itself, and by which measures."""

    began: float
    at: float
    measures: frozenset[str]


class Spells:
    """The spells of one cause, which several measures tell of, each with a limit: any of them makes a spell.

    Measures without a limit go with them into ``Spell.worst``.
    """

    def __init__(self, limits: Mapping[str, Limit]) -> None:
        self.present: Spell | None = None
        self._limits = limits
        self._high: deque[_High] = deque()
        self._given: dict[str, float] = {}

    def feed(self, *, began: float, at: float, last: Readings, window: Readings, window_from: float) -> Spell | None:
        """Take in the newest readings; the spell that has begun, grown or ended by them, if one has.

        ``last`` are those of ``began`` .. ``at`` by themselves, ``window`` those of ``window_from`` .. ``at``. What is
        not known at the moment is left out; of a window that is too short to judge by, everything.
        """
        high = self._over(last)
        if high:
            self._high.append(_High(began, at, high))
        while self._high and self._high[0].at <= window_from:
            self._high.popleft()
        if self.present is None:
            return self._begun(window)
        spell = self.present
        if high:
            spell.until = at
        for name, reading in window.items():
            spell.worst[name] = max(reading, spell.worst.get(name, reading), key=lambda each: each.value)
        if any(window[name].value > limit.ends for name, limit in self._limits.items() if name in window):
            return spell if self._has_grown(spell) else None
        return self.end()

    def end(self) -> Spell | None:
        """Nothing more is known: the present spell ends with what it has, if there is one."""
        spell, self.present = self.present, None
        if spell is not None:
            spell.is_over = True
        self._high.clear()
        return spell

    def _begun(self, window: Readings) -> Spell | None:
        """A window that is high with no high second in it is so by what went before: it waits for one."""
        over = self._over(window)
        high = [each for each in self._high if each.measures & over]
        if not high:
            return None
        self.present = Spell(since=high[0].began, until=high[-1].at, worst=dict(window))
        self._given = {name: window[name].value for name in over}
        return self.present

    def _has_grown(self, spell: Spell) -> bool:
        """Whether its worst is a quarter higher than when it was given last, or another measure is over its limit."""
        worst = {name: spell.worst[name].value for name in self._over(spell.worst)}
        if all(value < _NOTABLE_GROWTH * self._given.get(name, 0.0) for name, value in worst.items()):
            return False
        self._given = worst
        return True

    def _over(self, readings: Readings) -> frozenset[str]:
        """The measures that are over the limit at which a spell begins."""
        return frozenset(
            name for name, limit in self._limits.items() if name in readings and readings[name].value > limit.begins
        )
