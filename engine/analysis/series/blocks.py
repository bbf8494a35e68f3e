"""Blocks of samples as arrays, which the library returns and series and totals take.

A block holds one client's samples of at most an hour, by second; a missing second has no entry. Counts, response times
and errors are separate, so that a chart of rates need not wait for histograms.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.telemetry.sample import COUNTS, Count, CountNames, Sample

Whole = npt.NDArray[np.integer[Any]]
Seconds = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class CountBlock:
    """The counts of one client's samples, named as the fields of ``Sample``, and those of ``transactions`` by
    ``CountNames``; a missing one is zero throughout.

    ``transactions`` are the ids of all types and steps, first what the headline metric counts. ``seconds`` ascend;
    every array of ``counts`` has as many entries, of any integer type.
    """

    client: int
    seconds: Seconds
    counts: Mapping[str, Whole]
    transactions: tuple[str, ...]

    def as_client(self, number: int) -> "CountBlock":
        """The same as that of a client with another number."""
        return replace(self, client=number)


@dataclass(frozen=True, kw_only=True, eq=False)
class HistogramBlock:
    """Response times of one client's samples, packed as by ``engine.histogram`` and concatenated.

    They are those of the transactions that the headline metric counts. The histogram of the sample at ``index`` begins
    at byte ``offsets[index]``, so there is one offset more than samples. ``overdue`` holds the histograms of overdue
    transactions in the same way; ``None`` when no schedule was recorded. ``others`` holds those of the other types and
    the steps that occurred, by their ids; ``None`` when they were not recorded, or not read.
    """

    client: int
    seconds: Seconds
    offsets: Seconds
    packed: bytes
    overdue: "HistogramBlock | None" = None
    others: "Mapping[str, HistogramBlock] | None" = None

    def between(self, first: int, end: int) -> bytes:
        """The packed histograms of ``first <= second < end``."""
        begin, after = np.searchsorted(self.seconds, (first, end))
        return self.packed[self.offsets[begin] : self.offsets[max(begin, after)]]

    def as_client(self, number: int) -> "HistogramBlock":
        """The same as that of a client with another number."""
        overdue = None if self.overdue is None else self.overdue.as_client(number)
        others = self.others and {each: block.as_client(number) for each, block in self.others.items()}
        return replace(self, client=number, overdue=overdue, others=others)


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """A client's number of errors of a class in a second."""

    client: int
    second: int
    error_class: str
    count: int


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleBlock:
    """One client's samples with everything they contain; ``errors`` by second, for the seconds that have any."""

    counts: CountBlock
    histograms: HistogramBlock
    errors: Mapping[int, Mapping[str, int]]

    def as_client(self, number: int) -> "SampleBlock":
        """The same as that of a client with another number."""
        return replace(self, counts=self.counts.as_client(number), histograms=self.histograms.as_client(number))


def block_of(samples: Sequence[Sample]) -> SampleBlock:
    """A block of one client's samples, sorted by second; there must be at least one."""
    return block_from_columns(
        samples[0].client,
        [sample.second for sample in samples],
        {name: [getattr(sample, name) for sample in samples] for name in COUNTS},
        [sample.transactions for sample in samples],
        overdue=[sample.overdue for sample in samples],
        errors={sample.second: sample.errors for sample in samples if sample.errors},
    )


def block_from_columns(
    client: int,
    seconds: Sequence[int],
    counts: Mapping[str, Sequence[int]],
    transactions: Sequence[Mapping[str, Count]],
    *,
    overdue: Sequence[bytes | None],
    errors: Mapping[int, Mapping[str, int]],
) -> SampleBlock:
    """A block of one client's samples, whose fields are given as columns, sorted by second.

    A client has a schedule in all of its samples or in none, and recorded the response times of its types of
    transactions in all or in none.
    """
    of_seconds = np.array(seconds, dtype=np.int64)
    arrays = {name: np.array(values, dtype=np.int64) for name, values in counts.items()}
    ids = tuple(dict.fromkeys(each for of_second in transactions for each in of_second))
    nothing = Count()
    packed: dict[str, list[bytes | None]] = {}
    for each in ids:
        n, sum_us, max_us, packed[each] = map(list, zip(*(of.get(each, nothing) for of in transactions), strict=True))
        values = (n, sum_us, max_us)
        arrays.update(zip(CountNames.of(each), (np.array(of, dtype=np.int64) for of in values), strict=True))
    headline = packed.pop(ids[0]) if ids else [None] * len(of_seconds)
    return SampleBlock(
        counts=CountBlock(client=client, seconds=of_seconds, counts=arrays, transactions=ids),
        histograms=histograms_of(client, of_seconds, headline, overdue, packed),
        errors=errors,
    )


def histograms_of(
    client: int,
    seconds: Seconds,
    packed: Sequence[bytes | None],
    overdue: Sequence[bytes | None] = (),
    others: Mapping[str, Sequence[bytes | None]] | None = None,
) -> HistogramBlock:
    """A block of packed histograms, one for each of ``seconds``."""
    offsets = np.zeros(len(packed) + 1, dtype=np.int64)
    np.cumsum([len(each or b"") for each in packed], out=offsets[1:])
    return HistogramBlock(
        client=client,
        seconds=seconds,
        offsets=offsets,
        packed=b"".join(each or b"" for each in packed),
        overdue=None if _is_missing(overdue) else histograms_of(client, seconds, overdue),
        others=None
        if others is None or all(map(_is_missing, others.values()))
        else {each: histograms_of(client, seconds, of) for each, of in others.items() if any(of)},
    )


def _is_missing(histograms: Sequence[bytes | None]) -> bool:
    return all(each is None for each in histograms)


def samples_of(block: SampleBlock) -> Iterator[Sample]:
    """The samples that a block was made of."""
    counts = block.counts
    seconds = counts.seconds.tolist()
    columns = {name: values.tolist() for name, values in counts.counts.items()}
    whole = {"covers": [0] * len(seconds)} | {name: columns[name] for name in COUNTS if name in columns}
    overdue = [None] * len(seconds) if block.histograms.overdue is None else _each(block.histograms.overdue)
    by_type = {each: _counts_of(block, each, columns) for each in counts.transactions}
    for index, second in enumerate(seconds):
        yield Sample(
            client=counts.client,
            second=second,
            **{name: values[index] for name, values in whole.items()},
            transactions={each: of[index] for each, of in by_type.items()},
            errors=block.errors.get(second, {}),
            overdue=overdue[index],
        )


def _counts_of(block: SampleBlock, transaction: str, columns: Mapping[str, list[int]]) -> list[Count]:
    zeros = [0] * len(block.counts.seconds)
    numbers = (columns.get(name, zeros) for name in CountNames.of(transaction))
    return [Count(*each) for each in zip(*numbers, _histograms_of_type(block, transaction), strict=True)]


def _histograms_of_type(block: SampleBlock, transaction: str) -> Sequence[bytes | None]:
    others, missing = block.histograms.others, len(block.counts.seconds)
    if transaction == block.counts.transactions[0]:
        return _each(block.histograms)
    if others is None:
        return [None] * missing
    return _each(others[transaction]) if transaction in others else [b""] * missing


def _each(block: HistogramBlock) -> list[bytes]:
    """The histograms of a block, one by one."""
    offsets = block.offsets.tolist()
    return [block.packed[begin:end] for begin, end in pairwise(offsets)]
