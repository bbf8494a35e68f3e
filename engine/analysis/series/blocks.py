"""Blocks of samples as arrays, which the library returns and series and totals take.

A block holds one client's samples of at most an hour, by second; a missing second has no entry. Counts, response times
and errors are separate, so that a chart of orders need not wait for histograms.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.telemetry.sample import Sample

Whole = npt.NDArray[np.integer[Any]]
Seconds = npt.NDArray[np.int64]
_NO_COUNTS = ("client", "second", "errors", "histogram", "overdue", "steps")
COUNTS = tuple(field.name for field in fields(Sample) if field.name not in _NO_COUNTS)


@dataclass(frozen=True, kw_only=True, eq=False)
class CountBlock:
    """The counts of one client's samples, named as the fields of ``Sample``; a missing field is zero throughout.

    ``seconds`` ascend; every array of ``counts`` has as many entries, of any integer type.
    """

    client: int
    seconds: Seconds
    counts: Mapping[str, Whole]


@dataclass(frozen=True, kw_only=True, eq=False)
class HistogramBlock:
    """The orders' response times of one client's samples, packed as by ``engine.histogram`` and concatenated.

    The histogram of the sample at ``index`` begins at byte ``offsets[index]``, so there is one offset more than
    samples. ``overdue`` holds the histograms of overdue orders in the same way; ``None`` when no schedule was recorded.
    ``steps`` holds those of the steps that occurred, by their names; ``None`` when steps were not recorded.
    """

    client: int
    seconds: Seconds
    offsets: Seconds
    packed: bytes
    overdue: "HistogramBlock | None" = None
    steps: "Mapping[str, HistogramBlock] | None" = None

    def between(self, first: int, end: int) -> bytes:
        """The packed histograms of ``first <= second < end``."""
        begin, after = np.searchsorted(self.seconds, (first, end))
        return self.packed[self.offsets[begin] : self.offsets[max(begin, after)]]


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


def block_of(samples: Sequence[Sample]) -> SampleBlock:
    """A block of one client's samples, sorted by second; there must be at least one."""
    client = samples[0].client
    seconds = np.array([sample.second for sample in samples], dtype=np.int64)
    return SampleBlock(
        counts=CountBlock(
            client=client,
            seconds=seconds,
            counts={name: np.array([getattr(sample, name) for sample in samples], dtype=np.int64) for name in COUNTS},
        ),
        histograms=histograms_of(
            client,
            seconds,
            [sample.histogram for sample in samples],
            [sample.overdue for sample in samples],
            [sample.steps for sample in samples],
        ),
        errors={sample.second: sample.errors for sample in samples if sample.errors},
    )


def histograms_of(
    client: int,
    seconds: Seconds,
    packed: Sequence[bytes],
    overdue: Sequence[bytes | None] = (),
    steps: Sequence[Mapping[str, bytes] | None] = (),
) -> HistogramBlock:
    """A block of packed histograms, one for each of ``seconds``.

    A client has a schedule in all of them or in none, and recorded its steps in all or in none.
    """
    offsets = np.zeros(len(packed) + 1, dtype=np.int64)
    np.cumsum([len(each) for each in packed], out=offsets[1:])
    return HistogramBlock(
        client=client,
        seconds=seconds,
        offsets=offsets,
        packed=b"".join(packed),
        overdue=None
        if all(each is None for each in overdue)
        else histograms_of(client, seconds, [each or b"" for each in overdue]),
        steps=None
        if all(each is None for each in steps)
        else _steps_of(client, seconds, [each or {} for each in steps]),
    )


def _steps_of(client: int, seconds: Seconds, steps: Sequence[Mapping[str, bytes]]) -> dict[str, HistogramBlock]:
    names = sorted({name for each in steps for name in each})
    return {name: histograms_of(client, seconds, [each.get(name, b"") for each in steps]) for name in names}


def samples_of(block: SampleBlock) -> Iterator[Sample]:
    """The samples that a block was made of."""
    seconds = block.counts.seconds.tolist()
    histograms = _each(block.histograms)
    overdue = [None] * len(seconds) if block.histograms.overdue is None else _each(block.histograms.overdue)
    steps = _each_steps(block.histograms, len(seconds))
    columns = {name: values.tolist() for name, values in block.counts.counts.items()}
    for index, second in enumerate(seconds):
        yield Sample(
            client=block.counts.client,
            second=second,
            **{"covers": 0} | {name: values[index] for name, values in columns.items()},
            errors=block.errors.get(second, {}),
            histogram=histograms[index],
            overdue=overdue[index],
            steps=steps[index],
        )


def _each(block: HistogramBlock) -> list[bytes]:
    """The histograms of a block, one by one."""
    offsets = block.offsets.tolist()
    return [block.packed[begin:end] for begin, end in pairwise(offsets)]


def _each_steps(block: HistogramBlock, seconds: int) -> Sequence[dict[str, bytes] | None]:
    """The steps of each sample of a block, only those that occurred."""
    if block.steps is None:
        return [None] * seconds
    by_name = {name: _each(step) for name, step in block.steps.items()}
    return [{name: packed[index] for name, packed in by_name.items() if packed[index]} for index in range(seconds)]
