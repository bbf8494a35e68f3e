"""A mergeable histogram of response times: log-linear buckets of microseconds.

The buckets are those of an HdrHistogram with 512 steps per octave: every value is known to within 0.1 per cent (three
significant digits), from 1 µs to 71 minutes, in at most 12,288 buckets. While it is filled, a histogram is a plain
``dict`` of bucket to count; sent or stored, it is packed pairs of little-endian 16-bit numbers (bucket, count), where a
count above 65,535 takes several pairs. Source of the scheme: G. Tene, HdrHistogram.
"""

import math
import struct
from collections.abc import Iterable, Mapping

LARGEST_US = (1 << 32) - 1
BUCKETS = 12_288
_PAIR = struct.Struct("<HH")
_MOST_IN_A_PAIR = 0xFFFF


def bucket_of(microseconds: int) -> int:
    """The bucket of a response time; values outside of 0 .. ``LARGEST_US`` count in the first or last bucket."""
    if microseconds < 1024:
        return max(microseconds, 0)
    microseconds = min(microseconds, LARGEST_US)
    shift = microseconds.bit_length() - 10
    return (shift << 9) + (microseconds >> shift)


def value_of(bucket: int) -> float:
    """The middle of a bucket, in microseconds."""
    if bucket < 1024:
        return float(bucket)
    shift = (bucket >> 9) - 1
    lowest = (bucket - (shift << 9)) << shift
    return lowest + ((1 << shift) - 1) / 2


def pack(counts: Mapping[int, int]) -> bytes:
    """The counts by bucket as bytes, sorted by bucket, so that equal histograms give equal bytes."""
    buckets = sorted(counts)
    numbers = [counts[bucket] for bucket in buckets]
    if numbers and (min(numbers) < 1 or max(numbers) > _MOST_IN_A_PAIR):
        return _packed_one_by_one(buckets, numbers)
    # All at once: clients pack hundreds of pairs in the moment in which their samples are due.
    flat = [0] * (2 * len(buckets))
    flat[::2], flat[1::2] = buckets, numbers
    return struct.pack(f"<{len(flat)}H", *flat)


def _packed_one_by_one(buckets: Iterable[int], numbers: Iterable[int]) -> bytes:
    parts = []
    for bucket, number in zip(buckets, numbers, strict=True):
        left = number
        while left > 0:
            taken = min(left, _MOST_IN_A_PAIR)
            parts.append(_PAIR.pack(bucket, taken))
            left -= taken
    return b"".join(parts)


def unpack(packed: bytes) -> dict[int, int]:
    """The counts by bucket from the result of ``pack``."""
    counts: dict[int, int] = {}
    for bucket, count in _PAIR.iter_unpack(packed):
        counts[bucket] = counts.get(bucket, 0) + count
    return counts


def merge(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """The sum of histograms."""
    total: dict[int, int] = {}
    for histogram in histograms:
        for bucket, count in histogram.items():
            total[bucket] = total.get(bucket, 0) + count
    return total


def percentile_us(counts: Mapping[int, int], percent: float) -> float | None:
    """The microseconds that ``percent`` of the values did not exceed, by nearest rank; ``None`` without values."""
    rank = max(1, math.ceil(sum(counts.values()) * percent / 100))
    reached = 0
    for bucket in sorted(counts):
        reached += counts[bucket]
        if reached >= rank:
            return value_of(bucket)
    return None
