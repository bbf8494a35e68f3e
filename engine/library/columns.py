"""A run's samples as arrays, for charts and reports: imported only when asked for, since numpy takes time to start."""

import sqlite3
from array import array
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from engine.library.rows import unpacked_errors
from engine.library.tables import COUNTS

_WHOLE_NUMBERS = ("client", "second", *COUNTS)
_AT_ONCE = 500
_QUERY = (
    f"SELECT {', '.join(_WHOLE_NUMBERS)}, errors, histogram FROM samples"  # noqa: S608 - our own names
    " WHERE run_key = ? ORDER BY client, second"
)

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleColumns:
    """Every sample of a run, a row each, by client and then by second; a missing second has no row.

    The arrays are named and counted as the fields of ``Sample`` and can't be written to. ``errors`` holds only the
    rows that have any, by row. The histograms of all rows are packed one after the other in ``histograms``: that of
    ``row`` begins at ``histogram_offsets[row]``, so that the array has one entry more than there are rows.
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


def read_columns(connection: Connection, key: int) -> SampleColumns:
    """All samples of a run; it reads through the driver's own cursor, twice as fast as rows of SQLAlchemy."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    numbers = [array("q") for _ in _WHOLE_NUMBERS]
    lengths = array("q", [0])
    errors: dict[int, dict[str, int]] = {}
    histograms = bytearray()
    cursor = driver.execute(_QUERY, (key,))
    while rows := cursor.fetchmany(_AT_ONCE):
        *whole, packed_errors, packed_histograms = zip(*rows, strict=True)
        for column, values in zip(numbers, whole, strict=True):
            column.extend(values)
        if any(packed_errors):
            first = len(lengths) - 1
            errors |= {first + row: unpacked_errors(each) for row, each in enumerate(packed_errors) if each}
        lengths.extend(map(len, packed_histograms))
        histograms += b"".join(packed_histograms)
    return SampleColumns(
        **{
            name: _frozen(np.frombuffer(column, dtype=np.int64))
            for name, column in zip(_WHOLE_NUMBERS, numbers, strict=True)
        },
        errors=errors,
        histograms=bytes(histograms),
        histogram_offsets=_frozen(np.cumsum(np.frombuffer(lengths, dtype=np.int64))),
    )


def _frozen(values: Counts) -> Counts:
    values.flags.writeable = False
    return values
