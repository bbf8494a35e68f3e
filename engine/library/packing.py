"""Converts blocks of samples to rows of ``sample_blocks`` and back. Imported only when needed, since numpy takes long
to load.

A column of numbers is stored in the smallest unsigned type that holds its largest: all lowest bytes first, then all
next higher ones, and so on, so that equal bytes are adjacent and deflate well. A column of zeros is not stored. A
second of a client with 40 orders takes 60 bytes, a third of what the rows take.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.series.blocks import CountBlock, HistogramBlock, SampleBlock, Seconds, Whole
from engine.library.rows import packed_by_name, unpacked_by_name
from engine.telemetry.sample import COUNTS, CountNames

_LEVEL = 1  # the higher ones take three times as long for 2 % less
_OFFSET = np.dtype("<u2")
_LENGTH = np.dtype("<u4")
_HALF = np.dtype("<u2")  # of a histogram's pair of bucket and count
_PAIR_BYTES = 2 * _HALF.itemsize

# What blocks hold that were written when the DVD Store was the only workload: its types, and other names of counts.
_FIRST_TRANSACTIONS = ("order", "login", "new_customer", "browse", "purchase")
_FIRST_NAMES = {
    "orders": "order.n",
    "order_us": "order.sum_us",
    "order_us_max": "order.max_us",
    "logins": "login.n",
    "login_us": "login.sum_us",
    "new_customers": "new_customer.n",
    "new_customer_us": "new_customer.sum_us",
    "browses": "browse.n",
    "browse_us": "browse.sum_us",
    "purchases": "purchase.n",
    "purchase_us": "purchase.sum_us",
}


def block_values(block: SampleBlock) -> dict[str, Any]:
    """The columns of ``sample_blocks`` for a block, without its key."""
    seconds = block.counts.seconds
    columns = {name: _narrow(values) for name, values in block.counts.counts.items() if values.any()}
    return {
        "first_second": int(seconds[0]),
        "last_second": int(seconds[-1]),
        "seconds": _packed_seconds(seconds),
        "errors": _packed_errors(block.errors),
        "types": json.dumps(
            {
                "transactions": block.counts.transactions,
                "columns": {name: values.dtype.str for name, values in columns.items()},
            }
        ),
        "counts": _deflated([planes(values) for values in columns.values()]),
        "histograms": _packed_histograms(block.histograms),
        "overdue": None if block.histograms.overdue is None else _packed_histograms(block.histograms.overdue),
        "others": None
        if block.histograms.others is None
        else packed_by_name({name: _packed_histograms(each) for name, each in block.histograms.others.items()}),
    }


def counts_from(client: int, seconds: Seconds, types: str, packed: bytes) -> CountBlock:
    """The counts of a stored block."""
    data = memoryview(zlib.decompress(packed))
    transactions, columns = _transactions_and_columns(json.loads(types))
    known = {*COUNTS, *(name for each in transactions for name in CountNames.of(each))}
    counts, begin = {}, 0
    for name, kind in columns.items():
        if name not in known:
            raise ValueError(f"a block of samples holds '{name}', which this version doesn't know")
        dtype = np.dtype(kind)
        end = begin + dtype.itemsize * len(seconds)
        counts[name] = from_planes(data[begin:end], dtype)
        begin = end
    return CountBlock(client=client, seconds=seconds, counts=counts, transactions=transactions)


def _transactions_and_columns(types: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The ids of a stored block's transactions, and the types of its columns by their names."""
    if "columns" in types:
        return tuple(types["transactions"]), types["columns"]
    return _FIRST_TRANSACTIONS, {_FIRST_NAMES.get(name, name): kind for name, kind in types.items()}


def block_from(client: int, values: Mapping[Any, Any]) -> SampleBlock:
    """The inverse of ``block_values``."""
    seconds = seconds_from(values["first_second"], values["last_second"], values["seconds"])
    return SampleBlock(
        counts=counts_from(client, seconds, values["types"], values["counts"]),
        histograms=histograms_from(client, seconds, values["histograms"], values["overdue"], values["others"]),
        errors=errors_from(values["errors"]),
    )


def seconds_from(first: int, last: int, packed: bytes | None) -> Seconds:
    """The seconds of a stored block."""
    if packed is None:
        return np.arange(first, last + 1, dtype=np.int64)
    return first + np.frombuffer(zlib.decompress(packed), dtype=_OFFSET).astype(np.int64)


def errors_from(packed: str | None) -> dict[int, dict[str, int]]:
    """The errors of a stored block, by second and class."""
    return {} if packed is None else {int(second): errors for second, errors in json.loads(packed).items()}


def histograms_from(
    client: int, seconds: Seconds, packed: bytes, overdue: bytes | None = None, others: bytes | None = None
) -> HistogramBlock:
    """The histograms of a stored block."""
    data = memoryview(zlib.decompress(packed))
    begin = _LENGTH.itemsize * len(seconds)
    offsets = np.zeros(len(seconds) + 1, dtype=np.int64)
    np.cumsum(from_planes(data[:begin], _LENGTH), out=offsets[1:])
    middle = begin + _HALF.itemsize * int(offsets[-1])
    pairs = np.empty((int(offsets[-1]), 2), dtype=_HALF)
    np.cumsum(from_planes(data[begin:middle], _HALF), out=pairs[:, 0], dtype=_HALF)
    pairs[:, 1] = from_planes(data[middle:], _HALF)
    return HistogramBlock(
        client=client,
        seconds=seconds,
        offsets=offsets * _PAIR_BYTES,
        packed=pairs.tobytes(),
        overdue=None if overdue is None else histograms_from(client, seconds, overdue),
        others=None
        if others is None
        else {name: histograms_from(client, seconds, each) for name, each in unpacked_by_name(others).items()},
    )


def _packed_seconds(seconds: Seconds) -> bytes | None:
    """Empty when no second is missing, which is the usual case."""
    if int(seconds[-1] - seconds[0]) + 1 == len(seconds):
        return None
    return _deflated([(seconds - seconds[0]).astype(_OFFSET).tobytes()])


def _packed_histograms(block: HistogramBlock) -> bytes:
    """The lengths, then the buckets, each as the difference from the one before (modulo 65,536), then their counts."""
    pairs = np.frombuffer(block.packed, dtype=_HALF).reshape(-1, 2)
    lengths = (np.diff(block.offsets) // _PAIR_BYTES).astype(_LENGTH)
    distances = np.diff(pairs[:, 0], prepend=_HALF.type(0))
    return _deflated([planes(lengths), planes(distances), planes(np.ascontiguousarray(pairs[:, 1]))])


def _narrow(values: Whole) -> Whole:
    if values.min() < 0:
        raise ValueError("a count is below zero")
    return values.astype(np.min_scalar_type(int(values.max())).newbyteorder("<"))


def planes(values: NDArray[Any]) -> bytes:
    """The lowest byte of each value, then the next higher byte of each, and so on."""
    return values.view(np.uint8).reshape(len(values), values.dtype.itemsize).T.tobytes()


def from_planes(data: memoryview, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The inverse of ``planes``."""
    by_plane = np.frombuffer(data, dtype=np.uint8).reshape(dtype.itemsize, -1)
    values: NDArray[Any] = np.ascontiguousarray(by_plane.T).reshape(-1).view(dtype)
    return values


def _deflated(parts: Sequence[bytes]) -> bytes:
    return zlib.compress(b"".join(parts), _LEVEL)


def _packed_errors(errors: Mapping[int, Mapping[str, int]]) -> str | None:
    return json.dumps({second: dict(counts) for second, counts in errors.items()}) if errors else None
