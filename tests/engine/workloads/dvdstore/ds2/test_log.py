from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.record.record import Origin, RunState
from engine.telemetry.event import EventKind
from engine.telemetry.sample import Sample
from engine.workloads.dvdstore.ds2.log import ImportedRun, read_ds2_log
from tests.engine.workloads.dvdstore.ds2_logs import echo, final, log, report
from tests.totals import plain_totals

FILE_TIME = datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)
WARM_UP = (report(30.4, 300), report(60.9, 600))
MEASURED = (report(10.2, 120, rollbacks=2), report(20.3, 220, rollbacks=4))


def _read(*lines: str) -> ImportedRun:
    return read_ds2_log(
        log(*lines),
        source="/results/old/quarter.log",
        started_at=FILE_TIME,
        new_run_id=lambda began: f"run-{began:%Y%m%d}",
    )


def _measured(run: ImportedRun) -> list[Sample]:
    phases = run.record.phases
    assert phases.measuring_from is not None
    assert phases.measuring_to is not None
    return [sample for sample in run.samples if phases.measuring_from <= sample.second < phases.measuring_to]


def _warnings(run: ImportedRun) -> list[str]:
    return [event.label for event in run.events if event.kind is EventKind.WARNING]


def test_a_whole_log_becomes_a_run() -> None:
    run = _read(
        echo("db1", threads_together=8),
        "Thread 0: connected to db1",
        "Controller (3/14/2011 9:25:00 PM): all threads connected - issuing Start",
        *WARM_UP,
        "Stats reset",
        *MEASURED,
        final(20.4, 221, rollbacks=4),
        "n_purchase_from_start= 823 n_rollbacks_from_start= 9",
        "Run over",
    )
    record = run.record
    assert (record.run_id, record.name, record.origin) == ("run-20110314", "quarter.log", Origin.DS2_LOG)
    assert record.state is RunState.COMPLETED
    assert record.started_at == datetime(2011, 3, 14, 21, 25, tzinfo=UTC)
    assert record.ended_at == datetime(2011, 3, 14, 21, 26, 53, tzinfo=UTC)
    assert (record.phases.warming_up_from, record.phases.measuring_from, record.phases.measuring_to) == (0, 61, 81)
    assert record.client_labels == ("db1",)
    assert record.environment["from_start"] == {"purchases": 823, "rollbacks": 9}
    assert "UTC" in record.environment["clock"]
    assert [(each.second, each.covers, each.of("order").n, each.rollbacks) for each in run.samples] == [
        (29, 30, 300, 0),
        (60, 31, 300, 0),
        (70, 10, 120, 2),
        (80, 10, 101, 2),
    ]
    assert _warnings(run) == []


def test_plan_uses_the_drivers_parameters() -> None:
    plan = _read(echo("db1;db2:5433", threads_together=16, warmup=1, run=5), *MEASURED).record.plan
    assert [target.url for target in plan.targets] == [
        "postgresql://postgres@db1:5432/ds2",
        "postgresql://postgres@db2:5433/ds2",
    ]
    assert (plan.threads, plan.warmup_minutes, plan.minutes, plan.think_time_ms) == (8, 1.0, 5.0, 20.0)
    assert str(plan.parameters["db_size"]) == "20GB"


def test_plan_without_parameters_uses_the_reports() -> None:
    users = [f"Thread {user}: connected to db{1 + user % 2}" for user in range(6)]
    plan = _read(*reversed(users), *WARM_UP, "Stats reset", *MEASURED, final(120.2, 900)).record.plan
    assert [target.hosts[0].name for target in plan.targets] == ["db1", "db2"]
    assert (plan.threads, plan.warmup_minutes, plan.minutes, plan.parameters["db_size"]) == (3, 1.0, 2.0, None)


def test_the_totals_quote_the_final_line() -> None:
    run = _read(*WARM_UP, "Stats reset", *MEASURED, final(30.4, 325, mean_ms=47, rollbacks=13))
    totals = plain_totals(run.record.totals)
    assert (totals["opm"], totals["orders"], totals["opm_peak"]) == (641, 325, None)
    assert totals["rt_ms"] == {"mean": 47, "p50": None, "p95": None, "p99": None, "max": None}
    (client,) = totals["clients"]
    assert (client["opm"], client["orders"], client["logins"], client["new_customers"]) == (641, 325, 260, 65)
    assert (client["browses"], client["purchases"], client["rollbacks"], client["rollback_pct"]) == (975, 325, 13, 4.0)
    assert (client["rt_login_ms"], client["rt_new_customer_ms"]) == (4, 6)
    assert (client["rt_browse_ms"], client["rt_purchase_ms"]) == (9, 13)
    assert client["retries"] is client["reconnects"] is client["errors"] is None


def test_without_a_final_line_the_run_was_interrupted() -> None:
    run = _read(*WARM_UP, "Stats reset", *MEASURED)
    assert run.record.state is RunState.INTERRUPTED
    totals = plain_totals(run.record.totals)
    assert (totals["opm"], totals["orders"]) == (650, 220)
    assert totals["clients"][0]["logins"] is None
    assert run.record.started_at == FILE_TIME
    assert run.record.environment["clock"] == "the file's time"


def test_the_reset_shows_in_falling_times_too() -> None:
    told = _read(*WARM_UP, "Stats reset", *MEASURED)
    fallen = _read(*WARM_UP, *MEASURED)
    assert fallen.record.phases == told.record.phases
    assert fallen.samples == told.samples


def test_a_log_that_ends_in_the_warm_up_has_measured_nothing() -> None:
    run = _read(echo("db1", threads_together=1), *WARM_UP)
    assert run.record.phases.measuring_from is None
    assert run.record.totals is None
    assert [sample.of("order").n for sample in run.samples] == [300, 300]


def test_without_warm_up_everything_is_measured() -> None:
    run = _read(echo("db1", threads_together=1, warmup=0), *MEASURED)
    assert (run.record.phases.measuring_from, run.record.phases.measuring_to) == (0, 20)


def test_separately_reported_targets_are_clients() -> None:
    moments = [(10.2, 60, 40), (20.3, 130, 70)]
    lines = [
        line
        for et, first, second in moments
        for line in (
            report(et, first + second),
            "Individual Stats for each DB / Web Server: ",
            report(et, first),
            "host db1 CPU%=  12.5",
            report(et, second),
        )
    ]
    run = _read(
        echo("db1;db2", threads_together=4, warmup=0),
        *lines,
        final(20.4, 200),
        "Individual Stats for each DB / Web Server: ",
        final(20.4, 130, date=None),
        final(20.4, 70, date=None),
        "n_purchase_from_start= 203 n_rollbacks_from_start= 1",
        "n_purchase_from_start= 130 n_rollbacks_from_start= 1",
    )
    assert run.record.client_labels == ("db1", "db2")
    assert [(each.client, each.second, each.of("order").n) for each in run.samples] == [
        (1, 9, 60),
        (1, 19, 70),
        (2, 9, 40),
        (2, 19, 30),
    ]
    totals = plain_totals(run.record.totals)
    assert [(each["label"], each["orders"]) for each in totals["clients"]] == [("db1", 130), ("db2", 70)]
    assert totals["orders"] == 200
    assert run.record.environment["from_start"]["purchases"] == 203
    assert _warnings(run) == []


def test_targets_reported_separately_only_at_the_end_are_one_client() -> None:
    run = _read(
        echo("db1;db2", threads_together=4, warmup=0),
        *MEASURED,
        final(20.4, 221),
        final(20.4, 121, date=None),
        final(20.4, 100, date=None),
    )
    assert run.record.client_labels == ("all 2 targets",)
    assert sum(sample.of("order").n for sample in run.samples) == 221
    totals = plain_totals(run.record.totals)
    assert [each["orders"] for each in totals["clients"]] == [221]
    assert [(each["target"], each["orders"]) for each in totals["targets"]] == [("db1", 121), ("db2", 100)]


def test_the_targets_are_counted_by_their_lines_where_nothing_else_names_them() -> None:
    run = _read(
        *(report(10.2, 100), "Individual Stats for each DB / Web Server: "),
        *(report(10.2, 50), report(10.2, 30), report(10.2, 20)),
        *(final(10.4, 100), final(10.4, 50, date=None), final(10.4, 30, date=None), final(10.4, 20, date=None)),
    )
    assert run.record.client_labels == ("target 1", "target 2", "target 3")
    assert (len(run.record.plan.targets), run.record.plan.threads) == (3, 1)
    assert len(run.record.plan.client_plans()) == 3
    assert [(each.client, each.of("order").n) for each in run.samples] == [(1, 50), (2, 30), (3, 20)]


def test_threads_are_those_of_one_of_the_targets_that_have_lines_of_their_own() -> None:
    run = _read(
        echo("", threads_together=12, warmup=0),
        report(10.2, 100),
        *(final(10.4, 100), final(10.4, 60, date=None), final(10.4, 40, date=None)),
    )
    assert run.record.client_labels == ("all 2 targets",)
    assert (len(run.record.plan.targets), run.record.plan.threads) == (2, 6)
    totals = plain_totals(run.record.totals)
    assert [each["label"] for each in totals["targets"]] == ["target 1", "target 2"]


def test_targets_that_the_log_does_not_name_have_unknown_hosts() -> None:
    reports = report(10.2, 100), report(10.2, 60), report(10.2, 40)
    named_one = _read(echo("db1", threads_together=12, warmup=0), *reports)
    assert [target.hosts[0].name for target in named_one.record.plan.targets] == ["db1", "unknown"]
    assert _warnings(named_one) == ["the log names 1 of its 2 targets; the hosts of the others are unknown"]
    named_none = _read(*reports)
    assert [target.hosts[0].name for target in named_none.record.plan.targets] == ["unknown", "unknown"]
    (single,) = _read(*MEASURED).record.plan.targets
    assert single.hosts[0].name == "unknown"


def test_one_name_to_which_all_users_connected_is_that_of_all_targets() -> None:
    run = _read(
        *(f"Thread {user}: connected to db1" for user in range(8)),
        *(report(10.2, 100), report(10.2, 60), report(10.2, 40)),
        *(final(10.4, 100), final(10.4, 60, date=None), final(10.4, 40, date=None)),
    )
    assert run.record.client_labels == ("db1 #1", "db1 #2")
    assert (len(run.record.plan.targets), run.record.plan.threads) == (2, 4)


def test_a_log_cut_between_the_targets_keeps_what_is_whole() -> None:
    run = _read(
        echo("db1;db2", threads_together=4, warmup=0),
        *(report(10.2, 100), report(10.2, 60), report(10.2, 40)),
        *(report(20.3, 200), report(20.3, 130)),
    )
    assert [(each.client, each.of("order").n) for each in run.samples] == [(1, 60), (2, 40)]


def test_the_same_target_twice_has_two_labels() -> None:
    run = _read(echo("db1;db1", threads_together=4, warmup=0), report(10.2, 100), report(10.2, 60), report(10.2, 40))
    assert run.record.client_labels == ("db1 #1", "db1 #2")


def test_response_times_come_from_the_mean_since_the_last_report() -> None:
    run = _read(report(10.2, 100, mean_ms=50, sampled_ms=50), report(20.3, 200, mean_ms=54, sampled_ms=59))
    assert [sample.of("order").sum_us for sample in run.samples] == [5_000_000, 5_900_000]


def test_older_logs_tell_response_times_since_the_reset_only() -> None:
    run = _read(report(10.2, 100, mean_ms=50), report(20.3, 200, mean_ms=54), report(30.4, 210, mean_ms=50))
    assert [sample.of("order").sum_us for sample in run.samples] == [5_000_000, 5_800_000, 0]


def test_users_that_ended_at_errors_stand_in_the_events() -> None:
    run = _read(
        report(10.2, 100),
        "Thread 3: Error in Login for User user123, thread exiting",
        "Thread 5: Error in Purchase for User user77, thread exiting",
        report(20.3, 110),
        "Thread 1: exiting",
    )
    (event,) = [event for event in run.events if event.kind is EventKind.TARGET_ERROR]
    assert event.at_seconds == 10
    assert event.label.startswith("2 emulated users")
    assert event.detail == "Error in Login for User user123"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((report(10.2, 100), final(20.4, 90)), "90 orders"),
        ((report(10.2, 100, opm=900),), "opm=900"),
        ((report(10.2, 100), report(10.2, 60), report(10.2, 41)), "add up to 101"),
    ],
)
def test_inconsistent_reports_are_warnings(lines: Sequence[str], words: str) -> None:
    (warning,) = _warnings(_read(*lines))
    assert words in warning


def test_parameters_that_make_no_plan_are_said_and_the_run_is_kept() -> None:
    run = _read(echo("db1", threads_together=1, warmup=0).replace("n_line_items= 5", "n_line_items= 50"), *MEASURED)
    assert len(run.samples) == 2
    (warning,) = _warnings(run)
    assert "n_line_items" in warning


@pytest.mark.parametrize(
    "lines",
    [
        (*WARM_UP, *MEASURED, final(20.4, 221), *WARM_UP),
        (*WARM_UP, *MEASURED, *MEASURED),
    ],
)
def test_two_runs_in_one_log_are_refused(lines: Sequence[str]) -> None:
    with pytest.raises(BadInput, match=r"quarter\.log holds more than one"):
        _read(*lines)


@pytest.mark.parametrize(
    "text", ["", "hello\nworld", "target= db1  n_threads= 1", "et=  10.2 opm=5", "budget= 10 et=x"]
)
def test_a_log_without_reports_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"quarter\.log holds no report"):
        _read(text)


def test_imported_run_has_no_password() -> None:
    assert "hunter2" not in repr(_read(echo("db1", threads_together=1), *MEASURED))


@given(
    warm_up=st.lists(st.integers(0, 5_000), max_size=6),
    measured=st.lists(st.tuples(st.floats(0.5, 20), st.integers(0, 5_000)), min_size=1, max_size=12),
)
def test_samples_add_up_to_the_last_report(warm_up: list[int], measured: list[tuple[float, int]]) -> None:
    before = [report(10.2 * number, orders) for number, orders in enumerate(accumulate(warm_up), start=1)]
    times = [round(et, 1) for et in accumulate(et for et, _ in measured)]
    orders = list(accumulate(count for _, count in measured))
    lines = [report(et, count) for et, count in zip(times, orders, strict=True)]
    run = _read(*before, "Stats reset", *lines, final(max(times[-1], 1), orders[-1]))
    samples = _measured(run)
    assert sum(sample.of("order").n for sample in samples) == orders[-1]
    assert sum(sample.of("order").n for sample in run.samples) == orders[-1] + sum(warm_up)
    seconds = [second for each in run.samples for second in range(each.second - each.covers + 1, each.second + 1)]
    assert seconds == list(range(run.record.phases.measuring_to or 0))


@given(et=st.floats(1, 900), age_seconds=st.integers(0, 500_000_000))
def test_a_run_began_as_long_before_its_final_line_as_it_took(et: float, age_seconds: int) -> None:
    ended = FILE_TIME - timedelta(seconds=age_seconds)
    run = _read(final(et, 10, date=f"{ended.month}/{ended.day}/{ended:%Y %I:%M:%S %p}"))
    assert run.record.ended_at == ended
    assert run.record.started_at == ended - timedelta(seconds=round(float(f"{et:.1f}")))
