"""One count by client and second, in compact arrays with partial sums: used by ``series.rates``."""

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.analysis.series.blocks import Seconds, Whole

CHUNK_SECONDS = 512
Sums = npt.NDArray[np.int64]


class FieldCounts:
    """Integers by row (one for each client) and second, initially zero.

    They take four bytes each until one needs eight. The sums of every ``CHUNK_SECONDS`` are kept as well, so that a sum
    over a day costs no more than one over minutes, wherever late samples are added.
    """

    def __init__(self, rows: int, seconds: int) -> None:
        """Allocate ``seconds``, a multiple of ``CHUNK_SECONDS``."""
        self._values: Whole = np.zeros((rows, seconds), dtype=np.int32)
        self._sums = np.zeros((rows, seconds // CHUNK_SECONDS), dtype=np.int64)
        self._largest = int(np.iinfo(np.int32).max)

    def grow(self, seconds: int, used: int) -> None:
        """Make room for ``seconds``; only the first ``used`` hold anything so far."""
        larger = np.zeros((len(self._values), seconds), dtype=self._values.dtype)
        larger[:, :used] = self._values[:, :used]
        self._values = larger
        sums = np.zeros((len(self._sums), seconds // CHUNK_SECONDS), dtype=np.int64)
        sums[:, : self._sums.shape[1]] = self._sums
        self._sums = sums

    def add(self, row: int, second: int, value: int) -> None:
        """Add to one second: the cheap way for a sample that just came."""
        total = self._values.item(row, second) + value
        if total > self._largest:
            self._widen()
        self._values[row, second] = total
        self._sums[row, second // CHUNK_SECONDS] += value

    def add_span(self, row: int, first: int, values: Whole) -> None:
        """Add to the seconds from ``first`` on, a value to each."""
        totals = self._values[row, first : first + len(values)].astype(np.int64)
        totals += values.astype(np.int64)
        self._set(row, first, totals)

    def add_all(self, row: int, seconds: Seconds, values: Whole) -> None:
        """Add to any seconds, of which one may come more than once; there is at least one."""
        first, end = int(seconds.min()), int(seconds.max()) + 1
        totals = self._values[row, first:end].astype(np.int64)
        np.add.at(totals, seconds - first, values.astype(np.int64))
        self._set(row, first, totals)

    def values(self, rows: slice, first: int, end: int) -> Whole:
        """The counts of ``first <= second < end``, not to be written to."""
        return self._values[rows, first:end]

    def at(self, row: int, second: int) -> int:
        return int(self._values[row, second])

    def sum(self, rows: slice, first: int, end: int) -> int:
        """The sum over rows and ``first <= second < end``."""
        begin, after = -(-first // CHUNK_SECONDS), end // CHUNK_SECONDS
        if begin >= after:
            return _sum(self._values[rows, first:end])
        return (
            _sum(self._values[rows, first : begin * CHUNK_SECONDS])
            + _sum(self._sums[rows, begin:after])
            + _sum(self._values[rows, after * CHUNK_SECONDS : end])
        )

    def _set(self, row: int, first: int, totals: Seconds) -> None:
        if int(totals.max()) > self._largest:
            self._widen()
        end = first + len(totals)
        self._values[row, first:end] = totals
        begin, after = first // CHUNK_SECONDS, -(-end // CHUNK_SECONDS)
        chunks = self._values[row, begin * CHUNK_SECONDS : after * CHUNK_SECONDS].reshape(-1, CHUNK_SECONDS)
        self._sums[row, begin:after] = chunks.sum(axis=1, dtype=np.int64)

    def _widen(self) -> None:
        self._values = self._values.astype(np.int64)
        self._largest = int(np.iinfo(np.int64).max)


def _sum(values: npt.NDArray[Any]) -> int:
    return int(values.sum(dtype=np.int64))
