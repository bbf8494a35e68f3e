"""Host series as rows of ``host_columns`` and back; imported only when asked for, since numpy takes its time.

Times and values are 64-bit floats, kept bit by bit: their lowest bytes first, then the next higher ones, and so on, and
deflated. A series with the times of the one before it has none of its own.
"""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import RowMapping

from engine.analysis.host.series import HostSeries, Values
from engine.library.packing import from_planes, planes

_FLOAT = np.dtype("<f8")
_DESCRIPTION = ("source", "device", "name", "unit")


def packed_series(series: Sequence[HostSeries]) -> list[dict[str, Any]]:
    """The rows, in the order of the series, without run and number."""
    rows = []
    before: Values | None = None
    for column, each in enumerate(series):
        same_times = before is not None and np.array_equal(before, each.utc_seconds)
        rows.append(
            {
                "column": column,
                "description": {name: getattr(each, name) for name in _DESCRIPTION},
                "readings": len(each.values),
                "times": None if same_times else _packed(each.utc_seconds),
                "values": _packed(each.values),
            }
        )
        before = each.utc_seconds
    return rows


def unpacked_series(rows: Sequence[RowMapping]) -> tuple[HostSeries, ...]:
    """The series of rows that come in the order of their columns."""
    found: list[HostSeries] = []
    for row in rows:
        times = found[-1].utc_seconds if row["times"] is None else _unpacked(row["times"])
        found.append(HostSeries(**row["description"], utc_seconds=times, values=_unpacked(row["values"])))
    return tuple(found)


def _packed(values: Values) -> bytes:
    return zlib.compress(planes(np.ascontiguousarray(values, dtype=_FLOAT)))


def _unpacked(packed: bytes) -> Values:
    values: Values = from_planes(memoryview(zlib.decompress(packed)), _FLOAT)
    values.flags.writeable = False
    return values
