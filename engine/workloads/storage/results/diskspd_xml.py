"""Reads the results that diskspd prints with ``-Rxml``.

Its totals are the sums over threads and their targets (diskspd's ``XmlResultParser.cpp``).
"""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from engine.errors import BadInput
from engine.record.totals import ResponseTimes
from engine.workloads.storage.results.result import Done, StorageResult
from engine.workloads.storage.transactions import IO, READ, WRITE

_MB = 1024 * 1024
_NAMES = {IO: "Total", READ: "Read", WRITE: "Write"}
_PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p999": 99.9, "max": 100.0}
_NOT_COMPARABLE = (
    "diskspd 2.2 completes I/Os in another way than 2.1: with more than one outstanding I/O per thread, results of the"
    " two are not comparable"
)
"""diskspd's README, on version 2.2."""


def is_diskspd_xml(text: str) -> bool:
    """Whether a file is what diskspd prints with ``-Rxml``."""
    return "<Results>" in text[:2000] and "<TimeSpan>" in text


def read_diskspd_xml(text: str, source: str) -> StorageResult:
    """The result; raises ``BadInput``, naming ``source``."""
    begin = text.find("<Results>")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadInput(f"{source} declares entities, which no result of diskspd does; give what diskspd printed.")
    try:
        results = ElementTree.fromstring(text[max(begin, 0) :].strip())  # noqa: S314 - without entities
    except ElementTree.ParseError as error:
        raise BadInput(f"{source} is not complete XML ({error}); give all that diskspd printed.") from error
    spans = results.findall("TimeSpan")
    if len(spans) != 1:
        raise BadInput(f"{source} holds {len(spans)} time spans; import a result of one.")
    (span,) = spans
    seconds = _number(span, "TestTimeSeconds", source)
    targets = span.findall("Thread/Target")
    counts = {kind: sum(_whole(each, f"{_NAMES[kind]}Count") for each in targets) for kind in (READ, WRITE)}
    sizes = {kind: sum(_whole(each, f"{_NAMES[kind]}Bytes") for each in targets) for kind in (READ, WRITE)}
    ios, size = sum(counts.values()), sum(sizes.values())
    if not seconds or not targets:
        raise BadInput(f"{source} holds no threads' results; give all that diskspd printed.")
    counts[IO], sizes[IO] = ios, size
    asked = results.find("Profile/TimeSpans/TimeSpan")
    version = results.findtext("System/Tool/Version") or ""
    queue_depth = _asked(asked, "Targets/Target/RequestCount")
    return StorageResult(
        program=f"diskspd {version}".rstrip(),
        seconds=seconds,
        done={
            kind: Done(ios=counts[kind], bytes=sizes[kind], times=_times(span, kind))
            for kind in (IO, READ, WRITE)
            if counts[kind]
        },
        path=targets[0].findtext("Path") or "",
        threads=_whole(span, "ThreadCount") or None,
        queue_depth=queue_depth,
        block_bytes=_asked(asked, "Targets/Target/BlockSize") or (size // ios if ios else None),
        file_mb=(_whole(targets[0], "FileSize") // _MB) or None,
        pattern=_pattern(asked),
        read_pct=_read_pct(asked),
        warmup_seconds=_asked(asked, "Warmup"),
        iops_by_second=list(_by_second(span)),
        notes=notes_on(version, queue_depth),
        settings=_settings(asked),
    )


def notes_on(version: str, queue_depth: int | None) -> tuple[str, ...]:
    """What has to be known to compare a result of a version with others."""
    numbers = tuple(int(each) for each in re.findall(r"\d+", version)[:2])
    if not numbers or (queue_depth is not None and queue_depth <= 1):
        return ()
    return (_NOT_COMPARABLE,)


def _times(span: ElementTree.Element, kind: str) -> ResponseTimes:
    name = _NAMES[kind]
    by_percentile: dict[float, float] = {}
    for bucket in span.findall("Latency/Bucket"):
        value = bucket.findtext(f"{name}Milliseconds")
        percentile = bucket.findtext("Percentile")
        if value is not None and percentile is not None:
            by_percentile[float(percentile)] = float(value)
    mean = span.findtext(f"Latency/Average{name}Milliseconds")
    found = {each: by_percentile.get(percent) for each, percent in _PERCENTILES.items()}
    return ResponseTimes(mean=None if mean is None else float(mean), **found)


def _by_second(span: ElementTree.Element) -> Iterator[float]:
    """The I/Os of each second, where diskspd counted by seconds (``-D1000``)."""
    moments = [
        (float(each.get("SampleMillisecond", "0")), float(each.get("Total", "0")))
        for each in span.findall("Iops/Bucket")
    ]
    if len(moments) > 1 and round(moments[1][0] - moments[0][0]) == 1000:
        yield from (total for _, total in moments)


def _pattern(asked: ElementTree.Element | None) -> str | None:
    if asked is None:
        return None
    target = asked.find("Targets/Target")
    return None if target is None else "random" if target.find("Random") is not None else "sequential"


def _read_pct(asked: ElementTree.Element | None) -> int | None:
    writes = _asked(asked, "Targets/Target/WriteRatio")
    return None if writes is None else 100 - writes


def _settings(asked: ElementTree.Element | None) -> dict[str, str]:
    """How the caches were used, by diskspd's own names."""
    target = None if asked is None else asked.find("Targets/Target")
    if target is None:
        return {}
    names = ("DisableOSCache", "DisableLocalCache", "WriteThrough")
    return {name: target.findtext(name) or "true" for name in names if target.find(name) is not None}


def _asked(asked: ElementTree.Element | None, path: str) -> int | None:
    text = None if asked is None else asked.findtext(path)
    return int(text) if text is not None and text.isdecimal() else None


def _number(span: ElementTree.Element, name: str, source: str) -> float:
    try:
        return float(span.findtext(name) or "")
    except ValueError:
        raise BadInput(f"{source} has no {name}; give all that diskspd printed.") from None


def _whole(element: ElementTree.Element, name: str) -> int:
    text = (element.findtext(name) or "0").strip()
    return int(text) if text.isdecimal() else 0
