"""Writes what fio prints, from numbers."""

import json
from collections.abc import Mapping
from typing import Any

NOTHING: Mapping[int, int] = {}


def direction(by_ns: Mapping[int, int], *, ran_ms: int, block: int = 8192) -> dict[str, Any]:
    """What fio says of reads or of writes, given how many there were by latency in nanoseconds."""
    ios = sum(by_ns.values())
    mean = sum(ns * n for ns, n in by_ns.items()) / ios if ios else 0.0
    latency = {
        "min": min(by_ns, default=0),
        "max": max(by_ns, default=0),
        "mean": mean,
        "N": ios,
        **({"bins": {str(ns): n for ns, n in by_ns.items()}} if by_ns else {}),
    }
    nothing = {"min": 0, "max": 0, "mean": 0.0, "N": 0}
    return {
        "total_ios": ios,
        "io_bytes": block * ios,
        "runtime": ran_ms,
        "lat_ns": latency,
        "clat_ns": nothing,
    }


def document(
    reads: Mapping[int, int] = NOTHING, writes: Mapping[int, int] = NOTHING, *, ran_ms: int = 1000, **others: Any
) -> str:
    """A document as fio writes it: its braces on lines of their own."""
    job = {
        "jobname": "spindle",
        "error": 0,
        "job options": {"filename": "/data/f", "bs": "8k", "size": "64m", "rw": "randrw", "numjobs": "2"},
        "read": direction(reads, ran_ms=ran_ms),
        "write": direction(writes, ran_ms=ran_ms),
        **others,
    }
    return json.dumps({"fio version": "fio-3.33", "timestamp_ms": 1000 + ran_ms, "jobs": [job]}, indent=2) + "\n"
