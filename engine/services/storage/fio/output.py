"""Reads what fio prints every second.

With ``--status-interval=1`` and ``--output-format=json+`` fio prints a document every second, one after another. Each
holds totals since fio began; the figures of a second are the difference of two. Between the documents fio may print
lines of text, such as that it was ended by a signal.

Latencies are those from submission to completion (``lat_ns``), for which fio has 64 bins an octave: each is known to
within 0.8 per cent (fio's ``stat.h``, ``FIO_IO_U_PLAT_BITS``).
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import BadInput
from engine.histogram import bucket_of, pack
from engine.telemetry.sample import Count

READ, WRITE = "read", "write"
DIRECTIONS = (READ, WRITE)
_NANO_PER_MICRO = 1000


@dataclass(frozen=True)
class Done:
    """The I/Os of one direction: their number, the sum and the maximum of their latencies, and a histogram.

    Latencies are in nanoseconds; the keys of ``by_ns`` are the middles of fio's bins.
    """

    ios: int = 0
    sum_ns: float = 0.0
    max_ns: int = 0
    by_ns: Mapping[int, int] = field(default_factory=dict)

    def __add__(self, other: "Done") -> "Done":
        """The sum of both."""
        by_ns = Counter(self.by_ns)
        by_ns.update(other.by_ns)
        return Done(self.ios + other.ios, self.sum_ns + other.sum_ns, max(self.max_ns, other.max_ns), by_ns)

    def since(self, before: "Done") -> Count:
        """The figures since ``before``, for a sample. fio reports the maximum since its start only; unless that has
        grown, the middle of the highest bin with a count stands for the maximum of the time between.
        """
        bins = {ns: n - before.by_ns.get(ns, 0) for ns, n in self.by_ns.items() if n > before.by_ns.get(ns, 0)}
        longest = self.max_ns if self.max_ns > before.max_ns else min(self.max_ns, max(bins, default=0))
        counts: Counter[int] = Counter()
        for ns, n in bins.items():
            counts[bucket_of(round(ns / _NANO_PER_MICRO))] += n
        return Count(
            n=sum(bins.values()),
            sum_us=max(0, round((self.sum_ns - before.sum_ns) / _NANO_PER_MICRO)),
            max_us=round(longest / _NANO_PER_MICRO),
            histogram=pack(counts),
        )


NOTHING = Done()


@dataclass(frozen=True)
class Status:
    """One of fio's documents: totals since it began, by direction.

    ``at_ms`` is the time by the clock of fio's machine, and ``ran_ms`` for how long fio has done I/O, both in
    milliseconds. ``error`` is the errno of the first error, or 0.
    """

    at_ms: int
    ran_ms: int
    done: Mapping[str, Done]
    error: int = 0
    version: str = ""


class StatusReader:
    """Assembles fio's documents from the lines of its output."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self.messages: list[str] = []
        """The last lines between the documents."""

    def read(self, line: str) -> Status | None:
        """Take a line; returns the document that it completes. Raises ``BadInput`` for one that is not fio's."""
        line = line.rstrip("\r\n")
        if not self._lines and line != "{":
            if line:
                self.messages = [*self.messages[-4:], line]
            return None
        self._lines.append(line)
        if line != "}":
            return None
        text, self._lines = "\n".join(self._lines), []
        return status_of(parsed(text, "fio's output"))


def statuses_of(text: str, source: str) -> Iterator[tuple[Status, Mapping[str, Any]]]:
    """The documents of a file of fio's output, each with all that it holds. Raises ``BadInput``, naming ``source``."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            document, end = decoder.raw_decode(text, at)
        except ValueError as error:
            raise BadInput(f"{source} is not complete: {error}; give the whole output of fio.") from error
        yield status_of(document, source), document
        at = text.find("{", end)


def parsed(text: str, source: str) -> Mapping[str, Any]:
    """One document; raises ``BadInput``."""
    try:
        document: Mapping[str, Any] = json.loads(text)
    except ValueError as error:
        raise BadInput(f"{source} is not JSON ({error}); give --output-format=json+.") from error
    return document


def status_of(document: Mapping[str, Any], source: str = "fio's output") -> Status:
    """The status in a document, all jobs together; raises ``BadInput`` for a document that is not fio's."""
    try:
        jobs = document["jobs"]
        return Status(
            at_ms=document.get("timestamp_ms", 1000 * document.get("timestamp", 0)),
            ran_ms=max(job[direction]["runtime"] for job in jobs for direction in DIRECTIONS),
            done={direction: sum((_done(job[direction]) for job in jobs), start=NOTHING) for direction in DIRECTIONS},
            error=next((job["error"] for job in jobs if job.get("error")), 0),
            version=str(document.get("fio version", "")),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInput(f"{source} is no result of fio (it lacks {error}); give --output-format=json+.") from error


def _done(direction: Mapping[str, Any]) -> Done:
    """One direction of a job, by total latencies, or by completion latencies if only these have bins."""
    latency = direction["lat_ns"]
    if not latency.get("bins") and direction["clat_ns"].get("bins"):
        latency = direction["clat_ns"]
    by_ns = {int(ns): int(n) for ns, n in latency.get("bins", {}).items()}
    ios = sum(by_ns.values()) or int(direction["total_ios"])
    return Done(ios=ios, sum_ns=latency["mean"] * latency["N"], max_ns=int(latency["max"]), by_ns=by_ns)
