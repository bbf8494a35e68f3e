"""Probe samples, stored as spans of equal seconds: a quiet day of a store is one row instead of 86,400.

``RunWriter`` builds the spans during a run; ``Library`` reads them second by second.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, insert, select

from engine.library.tables import probes
from engine.telemetry.sample import ProbeSample


@dataclass(frozen=True)
class Span:
    """``seconds`` consecutive seconds that are all equal to ``first``."""

    first: ProbeSample
    seconds: int = 1

    def is_followed_by(self, sample: ProbeSample) -> bool:
        return replace(self.first, second=self.first.second + self.seconds) == sample

    def samples(self) -> Iterator[ProbeSample]:
        """The samples of each second."""
        return (replace(self.first, second=self.first.second + number) for number in range(self.seconds))


class ProbeSpans:
    """Builds spans from a running run's probe samples; the last span of each store stays open, and its row is rewritten
    as it grows."""

    def __init__(self) -> None:
        self._open: dict[int, Span] = {}

    def write(self, connection: Connection, key: int, samples: Iterable[ProbeSample]) -> dict[int, Span]:
        """Write the spans that the samples extend or begin; returns the open ones, for ``keep``.

        Nothing is remembered before the transaction is committed, since a failed batch is repeated.
        """
        now = dict(self._open)
        changed: dict[tuple[int, int], Span] = {}
        for sample in samples:
            span = now.get(sample.store)
            span = replace(span, seconds=span.seconds + 1) if span and span.is_followed_by(sample) else Span(sample)
            now[sample.store] = changed[sample.store, span.first.second] = span
        if changed:
            rows = [_row(span, key) for span in changed.values()]
            connection.execute(insert(probes).prefix_with("OR REPLACE"), rows)
        return now

    def keep(self, spans: dict[int, Span]) -> None:
        """Remember the open spans that ``write`` returned, after the commit."""
        self._open = spans


def read_probes(connection: Connection, key: int, *, since: int = 0) -> list[ProbeSample]:
    """The run's probe samples from a second on, sorted by store and second."""
    wanted = (probes.c.run_key == key, probes.c.second + probes.c.seconds > since)
    query = select(probes).where(*wanted).order_by(probes.c.store, probes.c.second)
    return [
        ProbeSample(store=row.store, second=second, slots=row.slots, host=row.host)
        for row in connection.execute(query)
        for second in range(max(since, row.second), row.second + row.seconds)
    ]


def _row(span: Span, key: int) -> dict[str, Any]:
    first = span.first
    return {
        "run_key": key,
        "store": first.store,
        "second": first.second,
        "seconds": span.seconds,
        "slots": first.slots,
        "host": first.host,
    }
