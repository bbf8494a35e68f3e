import math

from hypothesis import given
from hypothesis import strategies as st

from engine.workloads.dvdstore.ds2.log_lines import Report
from engine.workloads.dvdstore.ds2.totals import inconsistencies_of, totals_of


def _report(et: float, **values: int) -> Report:
    return Report(et=et, final=True, values=values)


def test_an_opm_that_was_not_printed_follows_ds2s_formula() -> None:
    assert totals_of(_report(61.0, orders=150), []).headline_rate == 147
    assert totals_of(_report(61.0, orders=150, opm=146), []).headline_rate == 146
    assert totals_of(_report(0.0, orders=0), []).headline_rate is None


def test_a_rate_of_rollbacks_needs_orders_and_rollbacks() -> None:
    assert totals_of(_report(60, orders=300, rollbacks=4), []).rollback_pct == 1.33
    assert totals_of(_report(60, orders=0, rollbacks=0), []).rollback_pct is None
    assert totals_of(_report(60, orders=300), []).rollback_pct is None


def test_the_largest_of_the_last_100_orders_is_not_called_the_largest() -> None:
    totals = totals_of(_report(60, orders=300, last_100_max_ms=210), [])
    assert (totals.last_100_max_ms, totals.times.max) == (210, None)


@given(et=st.floats(0.1, 100_000), orders=st.integers(0, 10_000_000))
def test_rounded_seconds_are_consistent(et: float, orders: int) -> None:
    printed = _report(float(f"{et:.1f}"), orders=orders, opm=math.floor(60 * orders / et))
    assert inconsistencies_of([(printed, [])]) == []


def test_no_reports_have_no_inconsistencies() -> None:
    assert inconsistencies_of([]) == []
