"""The texts of the library's table."""

import pytest

from engine.record.record import RunState
from engine.report.run_listing import RunListing
from tests.app.runs import a_run
from tests.totals import totals_with
from tests.widgets.library.runs import a_listing, a_stored_mixed_run
from widgets.library.run_columns import (
    COLUMNS,
    SHARED_SIGN,
    ending_text,
    headline_text,
    load_text,
    run_sign,
    state_sign,
)

BY_NAME = {column.name: column for column in COLUMNS}


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("name", "run 1"),
        ("targets", "embedded / ds2"),
        ("size", "100MB"),
        ("users", "2 × 8"),
        ("think_time", "20\u202fms"),
        ("headline", "1\u202f620\u202fOPM"),
        ("variability", "0.00\u202f%"),
        ("p95", "4.00"),
        ("errors", "0"),
        ("faults", "2"),
        ("state", "completed"),
        ("tags", "nightly, raid"),
        ("note", "two lines"),
    ],
)
def test_known_value_has_its_significant_digits(column: str, text: str) -> None:
    run = a_listing(faults=2, tags=("nightly", "raid"), note="two\nlines")
    assert BY_NAME[column].text(run) == text


def test_state_mentions_a_store_used_by_others() -> None:
    run = a_listing(totals=totals_with(opm=5, shared_stores=["database 'ds2' on db1 was reset or replaced by others"]))
    assert BY_NAME["state"].text(run) == "completed, store shared"
    assert run_sign(run) == SHARED_SIGN != run_sign(a_listing())


def test_an_unknown_value_is_a_dash_and_has_no_sort_key() -> None:
    run = RunListing.of(a_run(totals=None))
    for name in ("headline", "variability", "p95", "errors", "faults"):
        assert (BY_NAME[name].text(run), BY_NAME[name].sort_key(run)) == ("–", None)


def test_a_run_without_a_name_shows_its_id() -> None:
    run = RunListing.of(a_run(name=""))
    assert BY_NAME["name"].text(run) == run.run_id


def test_each_final_state_has_a_unique_shape() -> None:
    ends = [state_sign(state) for state in RunState if state.is_final]
    assert len({shape for shape, _ in ends}) == len(ends) == 4


def test_load_is_described_in_one_sentence() -> None:
    text = load_text(a_listing(clients=1))
    assert text.endswith("1 client × 8 users, 20 ms think time, against embedded / ds2 of 100MB")


def test_the_headline_of_each_load_of_a_mixed_run_is_said_beside_that_of_the_first() -> None:
    record, _ = a_stored_mixed_run()
    run = RunListing.of(record, faults=1)
    assert headline_text(run) == "6\u202f000\u202fOPM"
    assert "DVD Store 2 6\u202f000\u202fOPM and Mail 960.0\u202ftasks/min;" in ending_text(run)
