"""Blocks are made of samples and give them back."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.series.blocks import SampleBlock, block_of, samples_of
from engine.histogram import merge, unpack
from engine.telemetry.sample import Sample
from tests.doubles.samples import dvd_sample
from tests.engine.analysis.samples import SECONDS, blocks, runs


@given(runs())
def test_samples_come_back_from_their_blocks(samples: list[Sample]) -> None:
    again = [each for block in blocks(samples) for each in samples_of(block)]

    assert again == sorted(samples, key=lambda each: (each.client, each.second))


def test_absent_count_is_zero() -> None:
    block = block_of([dvd_sample(client=1, second=3, orders=2, errors={"timeout": 1})])
    lean = SampleBlock(
        counts=replace(block.counts, counts={"order.n": block.counts.counts["order.n"]}),
        histograms=block.histograms,
        errors=block.errors,
    )

    assert list(samples_of(lean)) == [dvd_sample(client=1, second=3, covers=0, orders=2, errors={"timeout": 1})]


@given(runs(), st.integers(0, SECONDS), st.integers(0, SECONDS))
def test_histograms_between_two_seconds_are_those_of_the_samples_there(
    samples: list[Sample], first: int, end: int
) -> None:
    for block in blocks(samples):
        inside = [each for each in samples_of(block) if first <= each.second < end]
        expected = merge(unpack(each.of("order").histogram or b"") for each in inside)

        assert unpack(block.histograms.between(first, end)) == expected
