"""What a probe saw, by tenths of a second: outages, and the host that answered."""

from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.series.probes import Outage, ProbeSeries
from engine.telemetry.sample import ProbeSample


def series_of(text: str, *, host: str = "a:5432") -> ProbeSeries:
    """A series of ten characters a second; the last second is filled up with tenths that were not asked."""
    series = ProbeSeries()
    for second in range(-(-len(text) // 10)):
        slots = text[10 * second : 10 * second + 10].ljust(10, "?")
        series.add(ProbeSample(store=1, second=second, slots=slots, host=host))
    return series


def test_an_outage_lasts_from_the_first_tenth_without_a_write_to_the_first_with_one() -> None:
    series = series_of("wwwwwwwwww" + "www-------" + "-----rrrww" + "wwwwwwwwww")
    assert series.outages() == [Outage(begin=1.3, end=2.8)]
    assert series.seconds == 4


def test_a_slow_answer_is_no_outage_unless_that_is_asked_for() -> None:
    series = series_of("ww----wwww" + "w-wwwwwwww")
    assert series.outages() == []
    assert series.outages(least_seconds=0.4) == [Outage(begin=0.2, end=0.6)]
    assert series.outages(least_seconds=0.1) == [Outage(begin=0.2, end=0.6), Outage(begin=1.1, end=1.2)]


def test_an_outage_that_goes_on_has_no_end() -> None:
    assert series_of("wwwwwwwwww" + "wwwww-----").outages() == [Outage(begin=1.5, end=None)]


def test_tenths_that_were_not_asked_end_no_outage_and_are_none() -> None:
    assert series_of("www---????" + "????---www").outages() == [Outage(begin=0.3, end=1.7)]
    assert series_of("?????????" + "?wwwwwwwww" + "w").outages() == []
    assert ProbeSeries().outages() == []


def test_only_the_seconds_that_are_asked_for_are_looked_at() -> None:
    series = series_of("wwwww-----" + "-----wwwww" + "w" * 10 + "------wwww")
    assert series.outages(2) == [Outage(begin=3.0, end=3.6)]
    assert series.outages(0, 1) == [Outage(begin=0.5, end=None)]
    assert series.outages(9) == []


def test_samples_may_come_in_any_order_and_leave_seconds_out() -> None:
    series = ProbeSeries()
    for second in (1500, 2, 700):
        series.add(ProbeSample(store=1, second=second, slots="w" * 10, host=f"host-{second}:1"))
    assert series.seconds == 1501
    assert bytes(series.slots(1, 4)) == b"?" * 10 + b"w" * 10 + b"?" * 10
    assert bytes(series.slots(1499)) == b"?" * 10 + b"w" * 10


@given(st.text("wr-", min_size=1, max_size=80), st.integers(1, 9))
def test_outages_of_any_length_are_just_the_tenths_without_a_write(text: str, least: int) -> None:
    outages = series_of(text).outages(least_seconds=least / 10)
    out = set()
    for outage in outages:
        end = len(text) if outage.end is None else round(10 * outage.end)
        tenths = range(round(10 * outage.begin), end)
        assert len(tenths) >= least
        out.update(tenths)
    runs = "".join("w" if each == "w" else "-" for each in text).split("w")
    assert len(out) == sum(len(run) for run in runs if len(run) >= least)
    assert all(text[tenth] != "w" for tenth in out)
