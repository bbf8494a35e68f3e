"""Reads what SQLIO prints. Microsoft retired it in 2015 in favour of diskspd; published results were made with it.

SQLIO prints latencies in whole milliseconds: a mean of 3 is between 3 and 4. Its histogram has a bin for each
millisecond up to 23, and one for all above, as whole per cents.
"""

import re

from engine.errors import BadInput
from engine.record.totals import ResponseTimes
from engine.workloads.storage.results.result import Done, StorageResult
from engine.workloads.storage.transactions import IO, READ, WRITE

_KB, _MB = 1024, 1024 * 1024
_WHOLE_MS = "SQLIO prints latencies in whole milliseconds, rounded down, and no percentiles"
_VERSION = re.compile(r"^(sqlio v\S+)", re.MULTILINE | re.IGNORECASE)
_THREADS = re.compile(r"^(\d+) threads? (reading|writing) for (\d+) secs? (?:from|to) file (.+?)\s*$", re.MULTILINE)
_KIND = re.compile(r"using (\d+)KB (random|sequential) IOs", re.IGNORECASE)
_OUTSTANDING = re.compile(r"enabling multiple I/Os per thread with (\d+) outstanding")
_SIZE = re.compile(r"using (?:specified|current) size: (\d+) MB")
_IOPS = re.compile(r"^IOs/sec:\s*([\d.,]+)", re.MULTILINE)
_LATENCY = re.compile(r"^(Min|Avg|Max)_Latency\(ms\):\s*(\d+)", re.MULTILINE)


def is_sqlio(text: str) -> bool:
    """Whether a file is what SQLIO prints."""
    return _VERSION.search(text) is not None and _IOPS.search(text) is not None


def read_sqlio(text: str, source: str) -> StorageResult:
    """The result in what SQLIO printed of one test; raises ``BadInput``, naming ``source``."""
    found = _IOPS.findall(text)
    if len(found) > 1:
        raise BadInput(f"{source} holds {len(found)} results of SQLIO; import each from a file of its own.")
    threads, version = _THREADS.search(text), _VERSION.search(text)
    if not found or threads is None or version is None:
        raise BadInput(
            f"{source} is no complete result of SQLIO: it lacks the line"
            f" {'of the threads' if found else 'IOs/sec'}; give all that SQLIO printed."
        )
    seconds, is_read = int(threads[3]), threads[2] == "reading"
    latencies = {name: float(value) for name, value in _LATENCY.findall(text)}
    ios = round(float(found[0].replace(",", "")) * seconds)
    kind, outstanding, size = _KIND.search(text), _OUTSTANDING.search(text), _SIZE.search(text)
    block = None if kind is None else _KB * int(kind[1])
    done = Done(
        ios=ios,
        bytes=None if block is None else ios * block,
        times=ResponseTimes(mean=latencies.get("Avg"), max=latencies.get("Max")),
    )
    return StorageResult(
        program=version[1],
        seconds=seconds,
        done={IO: done, READ if is_read else WRITE: done},
        path=threads[4],
        threads=int(threads[1]),
        queue_depth=None if outstanding is None else int(outstanding[1]),
        block_bytes=block,
        file_mb=None if size is None else int(size[1]),
        pattern=None if kind is None else kind[2].lower(),
        read_pct=100 if is_read else 0,
        notes=(_WHOLE_MS,),
        settings=_settings(text),
    )


def _settings(text: str) -> dict[str, str]:
    """What SQLIO says of its buffering, whose words have no other place."""
    buffering = re.search(r"^\s*buffering set to (.+?)\s*$", text, re.MULTILINE)
    return {} if buffering is None else {"buffering": buffering[1]}
