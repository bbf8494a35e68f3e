"""The description of a run's environment, from its record."""

from engine.record.record import Origin, RunState
from tests.app.runs import a_run
from tests.totals import totals_with
from widgets.library.record_values import environment_values


def test_server_values_after_the_run_come_last() -> None:
    record = a_run(totals=totals_with(after_run={"mssql://db1/ds2": {"log used (MB)": "250"}}))
    values = environment_values(record)
    assert list(values)[-1] == "servers after the run"
    assert values["servers after the run"] == {"mssql://db1/ds2": {"log used (MB)": "250"}}


def test_an_imported_run_says_what_it_was_read_from() -> None:
    assert environment_values(a_run())["run"]["measured by"] == "Spindle"
    imported = environment_values(a_run(origin=Origin.DS2_LOG))["run"]
    assert imported["measured by"] == "DVD Store 2, read from its log"


def test_run_values_come_before_environment_values() -> None:
    record = a_run(state=RunState.FAILED, failure="the store is gone", ended_at=None)
    values = environment_values(record)
    assert list(values) == ["run", "servers"]
    assert values["run"]["failure"] == "the store is gone"
    assert values["run"]["state"] == "failed"
    assert "ended" not in values["run"]
    assert values["servers"] == record.environment["servers"]
