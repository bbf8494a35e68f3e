from datetime import UTC, datetime

import pytest

from app.cli.ds2_output import Ds2Output
from engine.library.library import Library
from engine.library.run_id import new_run_id
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from engine.workloads.dvdstore.ds2.log import ImportedRun, read_ds2_log
from engine.workloads.dvdstore.ds2.parameters import plan_from_ds2
from tests.app.runs import a_run, a_sample

STARTED_AT = datetime(2026, 11, 21, tzinfo=UTC)


def printed(
    capsys: pytest.CaptureFixture[str], library: Library, phases: Phases, *, seconds: int, report_seconds: int = 2
) -> str:
    """The output for the samples of two clients that arrive in the order of a run."""
    given = {"target": "me:hemlig@db1;db2", "n_threads": "8", "run_time": "0.1", "db_size": "100MB"}
    plan = plan_from_ds2(given).plan
    output = Ds2Output(plan, given, report_seconds)
    output.begin(STARTED_AT)
    output.set_state(RunState.RAMPING, Phases())
    output.write_event(RunEvent(at_seconds=0.0, kind=EventKind.MARK, label="marked", number=1))
    output.remove_event(1)
    for second in range(seconds):
        if second == phases.warming_up_from:
            output.set_state(RunState.WARMING_UP, phases)
            output.set_state(RunState.WARMING_UP, phases)  # as it comes when the run is extended
        if second == phases.measuring_from:
            output.set_state(RunState.MEASURING, phases)
        for sample in of_a_second(second):
            output.write_sample(sample)
    output.final(library, a_run(plan=plan, phases=phases))
    return capsys.readouterr().out


def of_a_second(second: int) -> list[Sample]:
    return [a_sample(1, second), a_sample(2, second, orders=3, rollbacks=0)]


def read(text: str) -> ImportedRun:
    return read_ds2_log(text, source="ds2.log", started_at=STARTED_AT, new_run_id=new_run_id)


@pytest.fixture
def library() -> Library:
    return Library.__new__(Library)  # the output is handed one, and has no use for it


@pytest.mark.parametrize("warmup_seconds", [0, 3, 4])
def test_ds2_output_round_trip_preserves_seconds_and_orders(
    capsys: pytest.CaptureFixture[str], library: Library, warmup_seconds: int
) -> None:
    phases = Phases(warming_up_from=1, measuring_from=1 + warmup_seconds, measuring_to=1 + warmup_seconds + 6)
    text = printed(capsys, library, phases, seconds=1 + warmup_seconds + 8)
    run = read(text)
    assert run.record.state is RunState.COMPLETED
    assert run.record.phases.measuring_from == warmup_seconds
    assert run.record.phases.measuring_to == warmup_seconds + 6
    assert run.record.client_labels == ("db1:5432", "db2:5432")
    for client in (1, 2):
        measured = [sample for sample in run.samples if sample.client == client and sample.second >= warmup_seconds]
        expected = [of_a_second(second)[client - 1] for second in range(1 + warmup_seconds, 1 + warmup_seconds + 6)]
        assert sum(sample.of("order").n for sample in measured) == sum(sample.of("order").n for sample in expected)
        assert sum(sample.rollbacks for sample in measured) == sum(sample.rollbacks for sample in expected)
    assert not [event for event in run.events if event.kind is EventKind.WARNING]


def test_ds2_output_has_parameters_but_no_password(capsys: pytest.CaptureFixture[str], library: Library) -> None:
    text = printed(capsys, library, Phases(warming_up_from=1, measuring_from=1, measuring_to=5), seconds=7)
    assert text.startswith("target= db1:5432;db2:5432  n_threads= 16  ")
    assert "hemlig" not in text
    assert text.count("issuing Start") == 1
    assert read(text).record.plan.threads == 8


def test_run_stopped_in_warm_up_has_no_final_line(capsys: pytest.CaptureFixture[str], library: Library) -> None:
    text = printed(capsys, library, Phases(warming_up_from=1), seconds=6)
    assert "Final" not in text
    assert "et=    4.0" in text


def test_averages_restart_at_the_reset(capsys: pytest.CaptureFixture[str], library: Library) -> None:
    phases = Phases(warming_up_from=0, measuring_from=4, measuring_to=8)
    before, _, after = printed(capsys, library, phases, seconds=10).partition("Stats reset")
    warm_up = sum(sample.of("order").n for second in range(4) for sample in of_a_second(second))
    first = sum(sample.of("order").n for second in (4, 5) for sample in of_a_second(second))
    assert f"et=    4.0 n_overall={warm_up} opm={60 * warm_up // 4} " in before
    assert f"et=    2.0 n_overall={first} opm={60 * first // 2} " in after
