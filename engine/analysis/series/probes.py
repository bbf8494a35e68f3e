"""The answers to the probe of one store by tenths of a second: when writes were committed, by which host, and when not.

``RunData`` holds one for each store; the recovery analysis and the charts read it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.telemetry.sample import NOT_ASKED, SLOTS_PER_SECOND, WRITABLE, ProbeSample

Slots = npt.NDArray[np.uint8]
SLOT_SECONDS = 1 / SLOTS_PER_SECOND
LEAST_OUTAGE_SECONDS = 0.5
"""A server that is merely busy, or far away, may leave single tenths without an answer."""

_FIRST_SECONDS = 600


@dataclass(frozen=True)
class Outage:
    """A time without a committed write, in seconds since the epoch, to a tenth.

    It begins with the first tenth without one and ends with the first that has one again; ``end`` is ``None`` when none
    followed.
    """

    begin: float
    end: float | None


class ProbeSeries:
    """Ten characters a second, as in ``ProbeSample``; seconds without a sample count as not asked."""

    def __init__(self) -> None:
        self.seconds = 0
        self._slots = _unasked(_FIRST_SECONDS)

    def add(self, sample: ProbeSample) -> None:
        """Add a sample, in any order."""
        end = sample.second + 1
        while end * SLOTS_PER_SECOND > len(self._slots):
            self._slots = np.concatenate((self._slots, _unasked(len(self._slots) // SLOTS_PER_SECOND)))
        slots = np.frombuffer(sample.slots.encode("ascii"), dtype=np.uint8)
        self._slots[sample.second * SLOTS_PER_SECOND : end * SLOTS_PER_SECOND] = slots
        self.seconds = max(self.seconds, end)

    def slots(self, first: int = 0, end: int | None = None) -> Slots:
        """The character codes, ten for each of the seconds ``first <= second < end``."""
        end = self.seconds if end is None else min(end, self.seconds)
        return self._slots[first * SLOTS_PER_SECOND : max(first, end) * SLOTS_PER_SECOND]

    def outages(
        self, first: int = 0, end: int | None = None, *, least_seconds: float = LEAST_OUTAGE_SECONDS
    ) -> list[Outage]:
        """The times of at least ``least_seconds`` without a committed write in ``first <= second < end``.

        Tenths that were not asked belong to no outage and end none.
        """
        slots = self.slots(first, end)
        asked = np.flatnonzero(slots != ord(NOT_ASKED))
        is_out = np.concatenate(([False], slots[asked] != ord(WRITABLE), [False]))
        turns = np.flatnonzero(is_out[1:] != is_out[:-1])
        outages = []
        for begins, ends in zip(turns[::2], turns[1::2], strict=True):
            begin = first + int(asked[begins]) * SLOT_SECONDS
            last = first + (int(asked[ends - 1]) + 1) * SLOT_SECONDS
            known_end = first + int(asked[ends]) * SLOT_SECONDS if ends < len(asked) else None
            if (last if known_end is None else known_end) - begin >= least_seconds - SLOT_SECONDS / 2:
                outages.append(Outage(round(begin, 1), None if known_end is None else round(known_end, 1)))
        return outages


def _unasked(seconds: int) -> Slots:
    return np.full(seconds * SLOTS_PER_SECOND, ord(NOT_ASKED), dtype=np.uint8)
