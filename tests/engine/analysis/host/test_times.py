"""Times of host files: forms, zones, and dates that could be two."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.times import DateOrder, HostClock, check_zone, date_order
from engine.errors import BadInput

TEN = datetime(2026, 11, 20, 10, 0, 1, tzinfo=UTC).timestamp()
EAST = timezone(timedelta(hours=2))
MOMENTS = st.integers(10**9, 3 * 10**9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None))


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T10:00:01Z",
        "2026-11-20 10:00:01 UTC",
        "2026-11-20T12:00:01+0200",
        "2026-11-20T12:00:01+02:00",
        "11/20/2026 10:00:01",
        "11/20/26 10:00:01 AM",
        "20.11.2026 10:00:01",
        "20.11.26, 10:00:01",
        "2026/11/20 10:00:01",
        "2026-11-20 10-00-01",
        str(int(TEN)),
        str(int(TEN) * 1000),
    ],
)
def test_time_formats_are_parsed(text: str) -> None:
    assert HostClock(UTC).utc_seconds(text) == TEN


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("11/20/2026 10:00:01.250", 0.25),
        ("2026-11-20 10:00:01,5", 0.5),
        ("11/20/2026 10:00", -1),
        ("11/20/2026 10:00:01 PM", 12 * 3600),
        ("11/20/2026 12:00:01 AM", -10 * 3600),
    ],
)
def test_fractions_and_half_days(text: str, seconds: float) -> None:
    assert HostClock(UTC).utc_seconds(text) == TEN + seconds


@pytest.mark.parametrize(
    "text", ["", "12.5", "hello", "2026-11-20", "2026-13-20 10:00:01", "2026-11-20 25:00:01", "11/20/2026 13:00 PM"]
)
def test_invalid_times_are_none(text: str) -> None:
    assert HostClock(UTC).utc_seconds(text) is None


def test_time_without_zone_uses_the_given_zone() -> None:
    clock = HostClock(EAST)
    assert clock.utc_seconds("2026-11-20 10:00:01Z") == TEN
    assert clock.has_zone
    assert clock.utc_seconds("2026-11-20 12:00:01") == TEN
    assert not clock.has_zone


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["20/11/2026 10:00:00"], DateOrder.DAY_FIRST),
        (["11/20/2026 10:00:00"], DateOrder.MONTH_FIRST),
        (["04/05/2026 10:00:00"], DateOrder.MONTH_FIRST),
        (["11/12/2026 23:59:59", "12/12/2026 00:00:00"], DateOrder.DAY_FIRST),
        ([], DateOrder.MONTH_FIRST),
    ],
)
def test_date_order_is_derived_from_the_file(texts: list[str], order: DateOrder) -> None:
    assert date_order(texts, UTC, None) is order


def test_ambiguous_date_is_the_one_near_the_run() -> None:
    texts = ["04/05/2026 10:00:00", "04/05/2026 10:00:01"]
    assert date_order(texts, UTC, datetime(2026, 5, 4, 9, tzinfo=UTC)) is DateOrder.DAY_FIRST
    assert date_order(texts, UTC, datetime(2026, 4, 5, 9, tzinfo=UTC)) is DateOrder.MONTH_FIRST


def test_a_start_without_a_zone_is_refused() -> None:
    check_zone(None)
    with pytest.raises(BadInput, match="has no zone"):
        check_zone(datetime(2026, 5, 4))  # noqa: DTZ001 - that is what is refused


@given(
    MOMENTS, st.sampled_from(["%Y-%m-%dT%H:%M:%S", "%m/%d/%Y %H:%M:%S", "%m/%d/%y %I:%M:%S %p", "%d.%m.%Y %H:%M:%S"])
)
def test_every_moment_is_read_as_it_was_written(moment: datetime, form: str) -> None:
    assert HostClock(EAST).utc_seconds(moment.strftime(form)) == moment.replace(tzinfo=EAST).timestamp()


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_none(text: str) -> None:
    found = HostClock(UTC).utc_seconds(text)
    assert found is None or isinstance(found, float)
