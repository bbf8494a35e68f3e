import pytest

from engine.errors import Cancelled, UserError
from engine.library.library import Library
from engine.library.whole_run import clients_of, open_run, recovery_histograms
from engine.plan.plan import RunPlan
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.report.reported import PHASES, a_reported_run, samples_of

MARK = RunEvent(at_seconds=5.0, kind=EventKind.MARK, label="Enclosure pulled", is_fault=True)


def test_a_kept_run_is_read_whole(library: Library) -> None:
    kept = a_reported_run((10, 20)).record
    library.add_imported(kept, samples_of((10, 20)), [MARK])
    told: list[tuple[str, float]] = []
    record, run = open_run(library, kept.run_id, on_progress=lambda *news: told.append(news), cancelled=lambda: False)
    assert record == library.run(kept.run_id)
    assert (run.state, run.phases, run.totals) == (kept.state, PHASES, record.totals)
    assert run.series.count("order.n", client=2) == 20 * 9
    assert [event.label for event in run.sorted_events()] == ["Enclosure pulled"]
    assert told[-1] == ("Reading the run", 1.0)


def test_reading_can_be_cancelled(library: Library) -> None:
    kept = a_reported_run((10,)).record
    library.add_imported(kept, samples_of((10,)), [])
    with pytest.raises(Cancelled):
        open_run(library, kept.run_id, on_progress=lambda *_: None, cancelled=lambda: True)
    with pytest.raises(Cancelled):
        recovery_histograms(library, kept.run_id, {(0, 9)}, cancelled=lambda: True)


def test_missing_run_is_an_error(library: Library) -> None:
    with pytest.raises(UserError, match="nosuch"):
        open_run(library, "nosuch", on_progress=lambda *_: None, cancelled=lambda: False)


def test_clients_of_a_log_have_the_plans_target() -> None:
    record = a_reported_run(
        (10,), plan=RunPlan(clients=1), client_labels=("db1 thread group 1", "db1 thread group 2")
    ).record
    clients = clients_of(record)
    assert [(client.number, client.label) for client in clients] == [
        (1, "db1 thread group 1"),
        (2, "db1 thread group 2"),
    ]
    assert {client.target for client in clients} == set(record.plan.targets)
