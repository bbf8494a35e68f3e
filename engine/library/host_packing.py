"""Converts host series to rows of ``host_columns`` and back. Imported only when needed, since numpy takes long to load.

Times and values are 64-bit floats, stored without loss: all lowest bytes first, then all next higher ones, and so on,
deflated. A series whose times equal those of the series before it stores none.
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
    """The series of rows that are sorted by column."""
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
