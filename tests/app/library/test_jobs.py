"""The library's slow work against a real library: opening, listing, exporting, importing, the bin."""

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.library import jobs as library_jobs
from app.library.jobs import Outcome
from engine.analysis.latency.percentiles import merged, percentile_ms
from engine.errors import BadInput, Cancelled, UserError
from engine.histogram import bucket_of, pack
from engine.library.library import Library
from engine.record.record import Origin, RunRecord, RunState
from engine.report.export_kind import ExportKind
from engine.telemetry.event import EventKind, RunEvent
from tests.app.runs import EVENTS, PHASES, SECONDS, a_run, a_sample, samples_of
from tests.engine.workloads.dvdstore import ds2_logs
from tests.widgets.library.host import a_series

MARK = RunEvent(at_seconds=5.25, kind=EventKind.MARK, label="Enclosure pulled", number=7, by_hand=True)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library.sqlite", notify=print) as opened:
        yield opened


@pytest.fixture
def record(library: Library) -> RunRecord:
    """A kept run of two clients, with an error and a mark."""
    samples = [
        a_sample(1, 4, errors={"timeout": 3}) if (each.client, each.second) == (1, 4) else each
        for each in samples_of(2)
    ]
    kept = a_run(clients=2)
    library.add_imported(kept, samples, [*EVENTS, MARK])
    return kept


class Recorder:
    """Takes progress, and can ask for the end of the work."""

    def __init__(self, *, most: int = 1_000) -> None:
        self.shares: list[float] = []
        self.texts: list[str] = []
        self._most = most

    def report_progress(self, doing: str, share: float) -> None:
        self.texts.append(doing)
        self.shares.append(share)

    def cancelled(self) -> bool:
        return len(self.shares) >= self._most

    @property
    def callbacks(self) -> dict[str, Any]:
        return {"on_progress": self.report_progress, "cancelled": self.cancelled}


def test_an_opened_run_is_what_was_stored(library: Library, record: RunRecord) -> None:
    recorder = Recorder()
    found, run = library_jobs.open_run(library, record.run_id, **recorder.callbacks)
    assert found == record
    assert (run.run_id, run.name, run.state, run.phases, run.started_at) == (
        record.run_id,
        "evening load",
        RunState.COMPLETED,
        PHASES,
        record.started_at,
    )
    expected = [sum(each.of("order").n for each in samples_of(2) if each.second == second) for second in range(SECONDS)]
    assert run.series.by_second("order.n").tolist() == expected
    assert run.errors.by_class() == {"timeout": 3}
    assert run.errors.by_second(SECONDS).tolist() == [0, 0, 0, 0, 3, 0, 0, 0, 0]
    assert run.events[7] == MARK
    assert run.totals == record.totals
    assert run.figures().headline_rate_running == run.totals.headline_rate == 1_620
    assert recorder.shares[-1] == 1


def test_reading_a_run_can_be_cancelled(library: Library, record: RunRecord) -> None:
    with pytest.raises(Cancelled):
        library_jobs.open_run(library, record.run_id, **Recorder(most=1).callbacks)


def test_missing_run_is_reported(library: Library) -> None:
    with pytest.raises(UserError, match="is not in the library"):
        library_jobs.open_run(library, "20260101-000000-abcd", **Recorder().callbacks)


def test_compared_runs_come_in_the_order_asked_for(library: Library, record: RunRecord) -> None:
    other = a_run(clients=1, minutes_later=5)
    library.add_imported(other, samples_of(1), ())
    recorder = Recorder()
    runs = library_jobs.open_runs(library, [other.run_id, record.run_id], **recorder.callbacks)
    assert [found.run_id for found, _ in runs] == [other.run_id, record.run_id]
    assert recorder.shares == sorted(recorder.shares)
    assert recorder.shares[-1] == 1
    assert recorder.texts[-1] == "Reading the run 2 of 2"


def test_response_times_come_hour_by_hour(library: Library) -> None:
    seconds = [0, 1, 3_599, 3_600, 7_300]
    samples = [
        a_sample(client, second, histogram=pack({bucket_of(1_000 * client + second): 10}))
        for client in (1, 2)
        for second in seconds
    ]
    record = a_run(clients=2)
    record = replace(record, ended_at=record.started_at.replace(hour=record.started_at.hour + 3))
    library.add_imported(record, samples, ())
    recorder = Recorder()
    blocks = list(library_jobs.percentile_blocks(library, record.run_id, **recorder.callbacks))
    assert [times.first for times in blocks] == [0, 3_600, 7_200]
    assert recorder.shares == pytest.approx([1 / 3, 2 / 3, 1])
    _, run = library_jobs.open_run(library, record.run_id, **Recorder().callbacks)
    for times in blocks:
        run.latency.put(times)
    shown = run.latency.p95_ms()
    assert np.flatnonzero(~np.isnan(shown)).tolist() == seconds
    for second in seconds:
        counts = merged(each.of("order").histogram for each in samples if each.second == second)
        assert shown[second] == percentile_ms(counts, 95)


def test_response_times_can_be_cancelled(library: Library, record: RunRecord) -> None:
    with pytest.raises(Cancelled):
        list(library_jobs.percentile_blocks(library, record.run_id, **Recorder(most=0).callbacks))


def test_run_lines_have_the_number_of_faults(library: Library, record: RunRecord) -> None:
    faulted = a_run(minutes_later=5)
    library.add_imported(faulted, (), [*EVENTS, replace(MARK, is_fault=True)])
    assert [(run.run_id, run.faults) for run in library_jobs.list_library(library).runs] == [
        (faulted.run_id, 1),
        (record.run_id, 0),
    ]


def test_an_export_is_what_scripts_read(library: Library, record: RunRecord, tmp_path: Path) -> None:
    library_jobs.export_run(library, record.run_id, ExportKind.JSON, tmp_path / "run.json", **Recorder().callbacks)
    plain = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (plain["run_id"], plain["opm"], len(plain["events"])) == (record.run_id, 1_620, 3)
    library_jobs.export_run(library, record.run_id, ExportKind.CSV, tmp_path / "run.csv", **Recorder().callbacks)
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["orders"]) for row in rows) == sum(each.of("order").n for each in samples_of(2))


def test_the_readings_of_hosts_are_exported_where_there_are_any(
    library: Library, record: RunRecord, tmp_path: Path
) -> None:
    path = tmp_path / "run.hosts.csv"
    with pytest.raises(UserError, match="has no host measurements"):
        library_jobs.export_run(library, record.run_id, ExportKind.HOSTS_CSV, path, **Recorder().callbacks)
    assert not path.exists()
    library.host.add(record.run_id, [a_series("CPU", "%")], kind="sar", file_name="sar.csv")
    library_jobs.export_run(library, record.run_id, ExportKind.HOSTS_CSV, path, **Recorder().callbacks)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["file_name"], row["name"], row["unit"]) for row in rows} == {("sar.csv", "CPU", "%")}


def test_an_export_that_fails_leaves_what_was_there(library: Library, record: RunRecord, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("before", encoding="utf-8")
    with pytest.raises(UserError, match="is not in the library"):
        library_jobs.export_run(library, "gone", ExportKind.JSON, tmp_path / "run.json", **Recorder().callbacks)
    with pytest.raises(UserError, match="can't be written"):
        library_jobs.export_run(
            library, record.run_id, ExportKind.CSV, tmp_path / "no-folder" / "run.csv", **Recorder().callbacks
        )
    assert (tmp_path / "run.json").read_text(encoding="utf-8") == "before"


def test_export_reports_progress(
    library: Library, record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.stored_samples._REPORT_EVERY", 1)
    recorder = Recorder()
    library_jobs.export_run(library, record.run_id, ExportKind.CSV, tmp_path / "run.csv", **recorder.callbacks)
    expected = [(client + second / PHASES.measuring_to) / 2 for client in (0, 1) for second in range(SECONDS)]
    assert recorder.shares == pytest.approx(expected)


def test_an_export_that_is_cancelled_leaves_what_was_there(
    library: Library, record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.stored_samples._REPORT_EVERY", 1)
    (tmp_path / "run.csv").write_text("before", encoding="utf-8")
    with pytest.raises(Cancelled):
        library_jobs.export_run(
            library, record.run_id, ExportKind.CSV, tmp_path / "run.csv", **Recorder(most=3).callbacks
        )
    assert [(each.name, each.read_text(encoding="utf-8")) for each in tmp_path.glob("*run*")] == [("run.csv", "before")]


def test_a_chart_is_written_as_it_was_made(tmp_path: Path) -> None:
    library_jobs.export_chart(tmp_path / "chart.png", b"\x89PNG")
    assert (tmp_path / "chart.png").read_bytes() == b"\x89PNG"


def a_log(path: Path) -> Path:
    """A driver's output about two targets that it did not report apart."""
    lines = ds2_logs.log(
        ds2_logs.echo("db1;db2", threads_together=8),
        ds2_logs.report(10.0, 100),
        ds2_logs.report(20.0, 220),
        ds2_logs.final(20.0, 220),
    )
    path.write_text(lines, encoding="utf-8")
    return path


def test_import_reports_files_that_can_not_be_imported(library: Library, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("nothing of the kind", encoding="utf-8")
    paths = [a_log(tmp_path / "old.log"), tmp_path / "other.txt", tmp_path / "gone.log"]
    recorder = Recorder()
    outcome = library_jobs.import_files(library, paths, **recorder.callbacks)
    assert [run.run_id for run in library.runs()] == list(outcome.run_ids)
    assert [refusal.split()[0] for refusal in outcome.refusals] == ["other.txt", str(tmp_path / "gone.log")]
    assert recorder.texts == ["reading old.log", "reading other.txt", "reading gone.log"]


def test_an_import_can_be_cancelled_between_files(library: Library, tmp_path: Path) -> None:
    paths = [a_log(tmp_path / "one.log"), a_log(tmp_path / "two.log")]
    with pytest.raises(Cancelled):
        library_jobs.import_files(library, paths, **Recorder(most=1).callbacks)
    assert [run.name for run in library.runs()] == ["one.log"]


def test_a_file_that_cant_be_read_is_refused(library: Library, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="can't be read"):
        library_jobs.import_result(library, tmp_path)


def test_an_imported_run_opens_with_the_clients_that_its_log_tells_apart(library: Library, tmp_path: Path) -> None:
    record = library_jobs.import_result(library, a_log(tmp_path / "old.log"))
    assert record.origin is Origin.DS2_LOG
    assert len(record.plan.client_plans()) == 2
    _, run = library_jobs.open_run(library, record.run_id, **Recorder().callbacks)
    assert [(client.number, client.label) for client in run.clients] == [(1, "all 2 targets")]
    assert run.series.count("order.n") == 220
    assert run.figures(1).orders == 220
    assert list(library_jobs.percentile_blocks(library, record.run_id, **Recorder().callbacks)) != []


def test_an_imported_run_has_the_figures_that_its_driver_printed(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "old.log"
    measured = (ds2_logs.report(10.4, 100), ds2_logs.final(20.4, 220, rollbacks=4))
    path.write_text(ds2_logs.log(ds2_logs.echo("db1", threads_together=8), *measured), encoding="utf-8")
    record = library_jobs.import_result(library, path)
    assert record.totals is not None
    _, run = library_jobs.open_run(library, record.run_id, **Recorder().callbacks)
    for figures in (run.figures(), run.figures(1)):
        assert figures.headline_rate_running == record.totals.headline_rate == 60 * 220 * 10 // 204
        assert (figures.rollbacks, figures.rollback_pct) == (4, record.totals.rollback_pct)
        assert (figures.errors, figures.error_count, figures.retries, figures.reconnects) == (None, None, None, None)


def test_an_imported_run_that_ended_in_its_warm_up_has_no_figures(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "old.log"
    lines = (ds2_logs.echo("db1", threads_together=8), ds2_logs.report(10.0, 100))
    path.write_text(ds2_logs.log(*lines), encoding="utf-8")
    record = library_jobs.import_result(library, path)
    assert record.totals is None
    _, run = library_jobs.open_run(library, record.run_id, **Recorder().callbacks)
    for figures in (run.figures(), run.figures(1)):
        assert (figures.headline_rate_running, figures.error_count, figures.retries) == (None, None, None)


def test_deleted_runs_come_back(library: Library, record: RunRecord) -> None:
    outcome = library_jobs.delete_runs(library, [record.run_id])
    assert outcome == Outcome((record.run_id,))
    assert library_jobs.list_library(library).runs == ()
    assert library_jobs.restore_runs(library, outcome.run_ids) == Outcome((record.run_id,), are_restored=True)
    assert [run.run_id for run in library_jobs.list_library(library).runs] == [record.run_id]


def test_active_run_is_not_deleted_with_the_others(library: Library, record: RunRecord) -> None:
    going_on = a_run(minutes_later=1, state=RunState.MEASURING, ended_at=None)
    writer = library.start_run(going_on, notify=print)
    try:
        outcome = library_jobs.delete_runs(library, [going_on.run_id, record.run_id])
    finally:
        assert writer.close(5)
    assert outcome.run_ids == (record.run_id,)
    assert outcome.refusals == (f"run '{going_on.run_id}' is still measuring; stop it before you delete it.",)
