"""Reads the results that fio prints with ``--output-format=json`` or ``json+``."""

from collections.abc import Mapping
from typing import Any

from engine.errors import BadInput
from engine.record.totals import ResponseTimes
from engine.services.storage.fio.output import DIRECTIONS, statuses_of
from engine.workloads.storage.results.result import Done, StorageResult
from engine.workloads.storage.transactions import IO

_MB = 1024 * 1024
_NANO_PER_MILLI = 1_000_000
_PERCENTILES = {"p50": "50.000000", "p95": "95.000000", "p99": "99.000000", "p999": "99.900000"}
_UNITS = {"": 1, "b": 1, "k": 1024, "m": _MB, "g": 1024 * _MB, "t": 1024 * 1024 * _MB}
_COMPLETION = "the latencies are those from fio's submission of an I/O to its completion by the system (clat)"


def is_fio(text: str) -> bool:
    """Whether a file is what fio prints as JSON."""
    return '"fio version"' in text[:2000]


def read_fio(text: str, source: str) -> StorageResult:
    """The result, of the last document where there are several, all jobs together.

    Raises ``BadInput``, naming ``source``, also for jobs that were not one group.
    """
    found = list(statuses_of(text, source))
    if not found:
        raise BadInput(f"{source} holds no result of fio; give --output-format=json.")
    status, document = found[-1]
    if len(document["jobs"]) > 1:
        raise BadInput(
            f"{source} holds {len(document['jobs'])} jobs; give fio --group_reporting, or each job a file of its own."
        )
    (job,) = document["jobs"]
    options = {**document.get("global options", {}), **job.get("job options", {})}
    done = {each: _done(job[each]) for each in DIRECTIONS if job[each]["total_ios"]}
    if not done:
        raise BadInput(f"{source} holds no I/O: fio ended with error {status.error}; see what it printed.")
    if len(done) == 1:
        (both,) = done.values()
    else:
        both = Done(ios=sum(each.ios for each in done.values()), bytes=sum(each.bytes or 0 for each in done.values()))
        total = sum(each.ios * (each.times.mean or 0) for each in done.values())
        longest = max(each.times.max or 0 for each in done.values())
        both = Done(ios=both.ios, bytes=both.bytes, times=ResponseTimes(mean=round(total / both.ios, 3), max=longest))
    has_total = any(job[each]["lat_ns"].get("percentile") for each in done)
    return StorageResult(
        program=status.version,
        seconds=status.ran_ms / 1000,
        done={IO: both, **done},
        path=options.get("filename", ""),
        threads=_whole(options, "numjobs") or 1,
        queue_depth=_whole(options, "iodepth") or 1,
        block_bytes=_bytes(options.get("bs", "4k")),
        file_mb=(_bytes(options.get("size", "")) or 0) // _MB or None,
        pattern="random" if "rand" in options.get("rw", "read") else "sequential",
        read_pct=_read_pct(options),
        warmup_seconds=_whole(options, "ramp_time"),
        notes=() if has_total else (_COMPLETION,),
        settings={name: options[name] for name in ("ioengine", "direct", "sync", "fsync") if name in options},
    )


def _done(direction: Mapping[str, Any]) -> Done:
    """The percentiles are of the total latency where fio was asked for those, else of the completion."""
    total, completion = direction["lat_ns"], direction["clat_ns"]
    by_percent = total.get("percentile") or completion.get("percentile") or {}
    times = ResponseTimes(
        mean=_ms(total["mean"]),
        max=_ms(total["max"]),
        **{name: _ms(by_percent[key]) for name, key in _PERCENTILES.items() if key in by_percent},
    )
    return Done(ios=direction["total_ios"], bytes=direction["io_bytes"], times=times)


def _ms(nanoseconds: float) -> float:
    return round(nanoseconds / _NANO_PER_MILLI, 4)


def _read_pct(options: Mapping[str, str]) -> int:
    rw = options.get("rw", "read")
    if rw in ("rw", "readwrite", "randrw"):
        return _whole(options, "rwmixread") or 50
    return 100 if "read" in rw else 0


def _whole(options: Mapping[str, str], name: str) -> int | None:
    text = options.get(name, "")
    return int(text) if text.isdecimal() else None


def _bytes(text: str) -> int | None:
    """A size such as ``8k``, ``51200m`` or ``1GiB``."""
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit = text[len(digits) :].lower().removesuffix("ib").removesuffix("b")
    return int(digits) * _UNITS[unit] if digits.isdecimal() and unit in _UNITS else None
