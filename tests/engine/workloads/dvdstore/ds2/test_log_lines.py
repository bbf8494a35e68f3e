from datetime import UTC, datetime

import pytest

from engine.workloads.dvdstore.ds2.log_lines import (
    Connected,
    FromStart,
    Parameters,
    Report,
    Reset,
    Start,
    StoppedUser,
    entries_of,
    parse_date,
)
from tests.engine.workloads.dvdstore.ds2_logs import echo, final, log, report, wrapped

WHOLE = log(
    echo("db1;db2", threads_together=4),
    "Using .NET DateTime for measuring response time",
    "",
    "Thread 0: created for User 0",
    "Thread 0: connected to db1",
    "Controller (3/14/2011 9:25:00 PM): all threads connected - issuing Start",
    report(10.2, 1234, mean_ms=51, sampled_ms=49, rollbacks=23),
    "Stats reset",
    report(10.1, 1300, mean_ms=55, rollbacks=7),
    "Thread 0: Error in Browse for User user9, thread exiting",
    final(60.9, 7777, mean_ms=54, rollbacks=155),
    "Controller (3/14/2011 9:27:00 PM): all threads stopped, exiting",
    "n_purchase_from_start= 9011 n_rollbacks_from_start= 178",
    "Run over",
)


def test_every_kind_of_line_in_its_order() -> None:
    kinds = [type(entry) for entry in entries_of(WHOLE)]
    assert kinds == [Parameters, Connected, Start, Report, Reset, Report, StoppedUser, Report, FromStart]


def test_report_has_its_values() -> None:
    first, second, last = (entry for entry in entries_of(WHOLE) if isinstance(entry, Report))
    assert (first.et, first.orders, first.final) == (10.2, 1234, False)
    assert first.values == {
        "orders": 1234,
        "opm": 7258,
        "order_ms": 51,
        "sampled_ms": 49,
        "last_100_max_ms": 210,
        "rollbacks": 23,
    }
    assert "sampled_ms" not in second.values
    assert last.final
    assert last.finished_at == datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)
    assert (last.values["logins"], last.values["new_customers"], last.values["browses"]) == (6222, 1555, 23331)
    assert (last.values["purchases"], last.values["rollbacks"], last.values["order_ms"]) == (7777, 155, 54)
    assert (last.values["login_ms"], last.values["browse_ms"], last.values["purchase_ms"]) == (4, 9, 13)


@pytest.mark.parametrize("columns", [*range(60, 90), 100, 120, 132])
def test_a_console_that_broke_the_lines_changes_nothing(columns: int) -> None:
    broken = list(entries_of(wrapped(WHOLE, columns)))
    whole = list(entries_of(WHOLE))
    kinds = (Report, Parameters)
    assert [entry for entry in broken if isinstance(entry, kinds)] == [
        entry for entry in whole if isinstance(entry, kinds)
    ]


def test_a_final_line_broken_between_its_values() -> None:
    (entry,) = entries_of(
        final(61.0, 150, rollbacks=5).replace(" n_browse", " \nn_browse").replace(" n_roll", "\nn_roll")
    )
    assert isinstance(entry, Report)
    assert (entry.values["browses"], entry.values["purchases"], entry.values["rollbacks"]) == (450, 150, 5)


def test_dvd_store_3_adds_counts_and_prints_means_over_nothing() -> None:
    printed = final(61.0, 500, rollbacks=5)
    printed = printed.replace("n_browse_overall", "n_newmember_overall=7 n_browse_overall")
    printed = printed.replace("n_purchase_overall", "n_reviewbrowse=90 n_newreviews=3 n_purchase_overall")
    printed = printed.replace("rt_newcust_avg_msec=6", "rt_newcust_avg_msec=-2147483648")
    printed = printed.replace("rt_purchase_avg_msec", "rt_reviewbrowse_avg_msec=77 rt_purchase_avg_msec")
    (entry,) = entries_of(printed)
    assert isinstance(entry, Report)
    assert (entry.values["browses"], entry.values["browse_ms"], entry.values["purchase_ms"]) == (1500, 9, 13)
    assert (entry.values["new_customers"], entry.values["purchases"]) == (100, 500)
    assert "new_customer_ms" not in entry.values


def test_decimal_commas_are_parsed() -> None:
    (entry,) = entries_of(report(10.2, 100).replace("10.2", "10,2"))
    assert isinstance(entry, Report)
    assert entry.et == 10.2


def test_prefix_before_a_line_is_ignored() -> None:
    (entry,) = entries_of(f"2011-03-14T21:25:10 driver[77] {report(10.2, 100)}")
    assert isinstance(entry, Report)
    assert entry.orders == 100


def test_parameters_as_given_and_without_the_password() -> None:
    (entry,) = entries_of(echo("target1;db2", threads_together=4).replace("n_line_items= 5", "n_line_items5"))
    assert isinstance(entry, Parameters)
    assert entry.values["target"] == "target1;db2"
    assert (entry.values["n_threads"], entry.values["n_line_items"], entry.values["think_time"]) == ("4", "5", "0.02")
    assert "windows_perf_host" not in entry.values
    assert "hunter2" not in repr(entry)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3/14/2011 9:26:53 PM", datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)),
        ("3/14/2011 12:26:53 AM", datetime(2011, 3, 14, 0, 26, 53, tzinfo=UTC)),
        ("3/14/2011 9:26:53\u202fPM", datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)),
        ("03/14/2011 21:26:53", datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)),
        ("12/11/2011 21:26:53", datetime(2011, 12, 11, 21, 26, 53, tzinfo=UTC)),
        ("14/03/2011 21:26:53", datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)),
        ("14.03.2011 21:26:53", datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)),
        ("2011-03-14 21:26:53", datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)),
        ("some day", None),
        ("", None),
    ],
)
def test_dates_in_the_spellings_of_several_machines(text: str, expected: datetime | None) -> None:
    assert parse_date(text) == expected
