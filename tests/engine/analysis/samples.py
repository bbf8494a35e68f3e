"""Samples of made-up runs, for the tests of what is computed from them."""

from hypothesis import strategies as st

from engine.analysis.series.blocks import SampleBlock, block_of
from engine.histogram import bucket_of, pack
from engine.telemetry.sample import Sample
from tests.doubles.samples import dvd_sample

CLIENTS = 3
SECONDS = 12


def sample(client: int, second: int, times_us: list[int], **values: int) -> Sample:
    """A sample of orders with these response times."""
    counts: dict[int, int] = {}
    for time_us in times_us:
        counts[bucket_of(time_us)] = counts.get(bucket_of(time_us), 0) + 1
    return dvd_sample(
        client=client,
        second=second,
        orders=len(times_us),
        order_us=sum(times_us),
        order_us_max=max(times_us, default=0),
        histogram=pack(counts),
        **values,
    )


def blocks(samples: list[Sample]) -> list[SampleBlock]:
    """A block for every client."""
    by_second = sorted(samples, key=lambda each: each.second)
    clients = sorted({each.client for each in samples})
    return [block_of([each for each in by_second if each.client == client]) for client in clients]


@st.composite
def runs(draw: st.DrawFn) -> list[Sample]:
    """The samples of up to three clients, with seconds missing anywhere, in any order."""
    places = st.tuples(st.integers(1, CLIENTS), st.integers(0, SECONDS - 1))
    samples = []
    for client, second in draw(st.lists(places, unique=True, max_size=25)):
        times = draw(st.lists(st.integers(0, 3_000_000), max_size=6))
        rollbacks = draw(st.integers(0, len(times)))
        logins = draw(st.integers(0, 9))
        samples.append(
            sample(client, second, times, rollbacks=rollbacks, logins=logins, login_us=draw(st.integers(0, 9_999)))
        )
    return samples
