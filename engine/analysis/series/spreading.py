"""Spreads counts over the several seconds that their samples cover: for ``engine.analysis.series.rates``."""

import numpy as np

from engine.analysis.series.blocks import Seconds, Whole


class Spans:
    """The seconds that samples cover, concatenated.

    A sample covers the ``covers`` seconds that end with its own; one that covers more than there are begins at 0.
    """

    def __init__(self, seconds: Seconds, covers: Whole) -> None:
        lengths = np.minimum(covers.astype(np.int64), seconds + 1)
        self._sample = np.repeat(np.arange(len(seconds)), lengths)
        self._length = lengths[self._sample]
        self._place = np.arange(len(self._sample)) - (np.cumsum(lengths) - lengths)[self._sample]
        self.seconds: Seconds = (seconds + 1 - lengths)[self._sample] + self._place

    def hold(self, values: Whole) -> Seconds:
        """Each sample's value, repeated for every second that it covers."""
        return values.astype(np.int64)[self._sample]

    def spread(self, values: Whole) -> Seconds:
        """Each sample's count, spread over its seconds as evenly as integers allow."""
        counts = self.hold(values)
        parts: Seconds = counts * (self._place + 1) // self._length - counts * self._place // self._length
        return parts
