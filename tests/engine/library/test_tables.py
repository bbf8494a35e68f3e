from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from engine.library.tables import UtcTime, samples
from engine.telemetry.sample import COUNTS

MOMENTS = st.datetimes(timezones=st.just(UTC))


@given(MOMENTS, MOMENTS)
def test_moments_round_trip_and_sort_as_texts(one, other):
    kind, dialect = UtcTime(), sqlite.dialect()
    first, second = (kind.process_bind_param(each, dialect) for each in (one, other))
    assert kind.process_result_value(first, dialect) == one
    assert (first < second) == (one < other)


def test_a_moment_of_another_zone_is_stored_in_utc():
    local = datetime(2026, 11, 21, 5, 30, tzinfo=timezone(timedelta(hours=1)))
    assert UtcTime().process_bind_param(local, sqlite.dialect()) == "2026-11-21T04:30:00.000000+00:00"


def test_every_count_of_a_sample_has_its_column():
    assert {"covers", "rollbacks", "in_doubt"} <= set(COUNTS)
    assert set(samples.c.keys()) == {"run_key", "client", "second", *COUNTS, "transactions", "errors", "overdue"}
