"""Reads the results that diskspd prints as text, which is what it prints without ``-Rxml``."""

import re
from collections.abc import Iterator, Mapping

from engine.errors import BadInput
from engine.record.totals import ResponseTimes
from engine.workloads.storage.results.diskspd_xml import notes_on
from engine.workloads.storage.results.result import Done, StorageResult
from engine.workloads.storage.transactions import IO, READ, WRITE

_KIB, _MIB = 1024, 1024 * 1024
_SECTIONS = {"Total IO": IO, "Read IO": READ, "Write IO": WRITE}
_UNITS = {"": 1, "B": 1, "K": _KIB, "KB": _KIB, "KIB": _KIB, "M": _MIB, "MB": _MIB, "MIB": _MIB, "G": 1024 * _MIB}
_PERCENTILES = {"p50": "50th", "p95": "95th", "p99": "99th", "p999": "3-nines", "max": "max"}
_COLUMNS = {READ: 0, WRITE: 1, IO: 2}
_TIME = re.compile(r"^actual test time:\s*([\d.]+)s", re.MULTILINE)


def is_diskspd_text(text: str) -> bool:
    """Whether a file is what diskspd prints as text."""
    return _TIME.search(text) is not None and "Total IO" in text


def read_diskspd_text(text: str, source: str) -> StorageResult:
    """The result; raises ``BadInput``, naming ``source``."""
    times = _TIME.findall(text)
    if len(times) != 1:
        raise BadInput(f"{source} holds {len(times)} time spans; import a result of one.")
    percentiles = _percentiles(text)
    done = {kind: _done(columns, percentiles.get(kind, {})) for kind, columns in _totals(text)}
    done = {kind: each for kind, each in done.items() if each.ios}
    if IO not in done:
        raise BadInput(f"{source} has no line 'total:' under Total IO; give all that diskspd printed.")
    command = _first(text, r"^\s*Command Line:\s*(.+?)\s*$") or ""
    version = _first(text, r"\bversion:?\s+(\d+\.\d+(?:\.\d+)?)") or ""
    queue_depth = _whole(text, r"number of outstanding I/O operations(?: per thread)?:\s*(\d+)")
    return StorageResult(
        program=f"diskspd {version}".rstrip(),
        seconds=float(times[0]),
        done=done,
        path=_first(text, r"^\s*path:\s*'(.+?)'") or "",
        threads=_whole(text, r"^thread count:\s*(\d+)"),
        queue_depth=queue_depth,
        block_bytes=_bytes(text, r"block size:\s*(\d+)\s*([A-Za-z]*)"),
        file_mb=_file_mb(command),
        pattern=_pattern(text),
        read_pct=_read_pct(text),
        warmup_seconds=_whole(text, r"warm up time:\s*(\d+)s"),
        notes=notes_on(version, queue_depth),
        settings={"command line": command} if command else {},
    )


def _totals(text: str) -> Iterator[tuple[str, list[str]]]:
    """The columns of the line ``total:`` of each section."""
    section = ""
    for line in text.splitlines():
        section = _SECTIONS.get(line.strip(), section)
        if section and line.strip().lower().startswith("total:") and "|" in line:
            yield section, [each.strip() for each in line.split(":", 1)[1].split("|")]
            section = ""


def _done(columns: list[str], percentiles: Mapping[str, float]) -> Done:
    """Bytes, I/Os, MiB/s, I/Os a second and, where latencies were measured (``-L``), their mean."""
    mean = float(columns[4]) if len(columns) > 4 and columns[4] not in ("", "N/A") else None
    return Done(ios=int(columns[1]), bytes=int(columns[0]), times=ResponseTimes(mean=mean, **percentiles))


def _percentiles(text: str) -> dict[str, dict[str, float]]:
    """The percentiles that results have, by kind; diskspd prints N/A for a kind that was not done."""
    found: dict[str, dict[str, float]] = {kind: {} for kind in _COLUMNS}
    names = {word: name for name, word in _PERCENTILES.items()}
    for line in text.splitlines():
        cells = [each.strip() for each in line.split("|")]
        if len(cells) == 4 and (name := names.get(cells[0])):
            for kind, column in _COLUMNS.items():
                if re.fullmatch(r"[\d.]+", cells[1 + column]):
                    found[kind][name] = float(cells[1 + column])
    return found


def _pattern(text: str) -> str | None:
    if re.search(r"using random I/O", text):
        return "random"
    return "sequential" if re.search(r"using (?:interlocked )?sequential I/O", text) else None


def _read_pct(text: str) -> int | None:
    if (mixed := _whole(text, r"performing mix test \(read/write ratio: (\d+)/\d+\)")) is not None:
        return mixed
    if "performing read test" in text:
        return 100
    return 0 if "performing write test" in text else None


def _file_mb(command: str) -> int | None:
    """The size that the command line gave the file with ``-c``."""
    size = _bytes(command, r"(?:^|\s)-c(\d+)([A-Za-z]*)")
    return (size or 0) // _MIB or None


def _bytes(text: str, pattern: str) -> int | None:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None or found[2].upper() not in _UNITS:
        return None
    return int(found[1]) * _UNITS[found[2].upper()]


def _whole(text: str, pattern: str) -> int | None:
    found = _first(text, pattern)
    return None if found is None else int(found)


def _first(text: str, pattern: str) -> str | None:
    found = re.search(pattern, text, re.MULTILINE)
    return None if found is None else found[1]
