"""A run's samples as arrays, for charts and reports: imported only when asked for, since numpy takes time to start."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.analysis.blocks import COUNTS, SampleBlock

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleColumns:
    """Every sample of a run, a row each, by client and then by second; a missing second has no row.

    The arrays are named and counted as the fields of ``Sample`` and can't be written to. ``errors`` holds only the
    rows that have any, by row. The histograms of all rows are packed one after the other in ``histograms``: that of
    ``row`` begins at ``histogram_offsets[row]``, so that the array has one entry more than there are rows.
    What is ``overdue`` is read by ``Library.samples`` and ``Library.histogram_blocks`` alone.
    """

    client: Counts
    second: Counts
    covers: Counts
    working: Counts
    thinking: Counts
    reconnecting: Counts
    down: Counts
    orders: Counts
    new_customers: Counts
    logins: Counts
    browses: Counts
    purchases: Counts
    rollbacks: Counts
    retries: Counts
    reconnects: Counts
    in_doubt: Counts
    order_us: Counts
    new_customer_us: Counts
    login_us: Counts
    browse_us: Counts
    purchase_us: Counts
    order_us_max: Counts
    errors: Mapping[int, Mapping[str, int]]
    histograms: bytes
    histogram_offsets: Counts

    def __len__(self) -> int:
        return len(self.client)

    def packed_histogram(self, first: int, after: int) -> bytes:
        """The histogram of the rows ``first <= row < after`` together, as ``engine.histogram.unpack`` reads it."""
        return self.histograms[self.histogram_offsets[first] : self.histogram_offsets[after]]


def columns_of(blocks: Iterable[SampleBlock]) -> SampleColumns:
    """The samples of blocks, which come by client and then by hour."""
    found = list(blocks)
    first_rows = np.cumsum([0, *(len(block.counts.seconds) for block in found)]).tolist()
    columns = {name: np.zeros(first_rows[-1], dtype=np.int64) for name in ("client", "second", *COUNTS)}
    lengths = np.zeros(first_rows[-1] + 1, dtype=np.int64)
    errors: dict[int, Mapping[str, int]] = {}
    for block, first, end in zip(found, first_rows, first_rows[1:], strict=False):
        seconds = block.counts.seconds
        columns["client"][first:end] = block.counts.client
        columns["second"][first:end] = seconds
        for name, values in block.counts.counts.items():
            columns[name][first:end] = values
        lengths[first + 1 : end + 1] = np.diff(block.histograms.offsets)
        rows = (first + np.searchsorted(seconds, list(block.errors))).tolist()
        errors |= dict(zip(rows, block.errors.values(), strict=True))
    return SampleColumns(
        **{name: _frozen(column) for name, column in columns.items()},
        errors=errors,
        histograms=b"".join(block.histograms.packed for block in found),
        histogram_offsets=_frozen(np.cumsum(lengths)),
    )


def _frozen(values: Counts) -> Counts:
    values.flags.writeable = False
    return values
