"""Recoveries in the whole window: a kept run's with its response times, and how they are judged, remembered."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library import jobs as library_jobs
from app.settings import read_settings
from engine.analysis.recovery.judging import times_spans
from engine.analysis.recovery.settings import RecoverySettings
from engine.errors import Cancelled
from engine.library.library import Library
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.telemetry.sample import Sample
from tests.app.runs import a_run
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.faulted_runs import FaultedRun
from widgets.live.recovery_settings_popup import RecoverySettingsPopup


def keep_faulted(home: Path) -> tuple[RunRecord, FaultedRun]:
    """Put a run with a fault into the library of a home."""
    samples: list[Sample] = []
    faulted = FaultedRun(2)
    faulted.hears = samples.append
    faulted.advance_to(260)
    run = faulted.end()
    plan = run.plan
    labels = tuple(client.label for client in run.clients)
    record = replace(a_run(clients=2), plan=plan, client_labels=labels, phases=run.phases, totals=None)
    with Library.open(home / "library.sqlite", notify=print) as library:
        library.add_imported(record, samples, run.sorted_events())
    return record, faulted


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def figures_of(opened: OpenDesktop) -> dict[str, str]:
    model = opened.desktop.library.run_page.recovery.table.model
    return {str(model.index(row, 0).data()): str(model.index(row, 1).data()) for row in range(model.rowCount())}


def test_a_kept_runs_recovery_gets_its_response_times(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    record, _ = keep_faulted(home)
    opened = open_desktop(qapp, qtbot, home)
    page = opened.desktop.library.run_page
    opened.desktop.open_run(record.run_id)
    opened.wait_for(lambda: page.run_id == record.run_id)
    opened.wait_for(lambda: figures_of(opened).get("During") == "60 / 60 / 60\u202fms")
    assert page.recovery.card.word == "RECOVERED"
    page.view.recovery.settings_changed.emit(RecoverySettings(baseline_seconds=30))
    opened.wait_for(lambda: figures_of(opened).get("Before") == "9 / 9 / 9\u202fms")
    assert "over 30\u202fs" in page.recovery.card.remarks
    opened.end()


def test_stored_run_has_response_times_with_live_recovery_settings(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    record, _ = keep_faulted(tmp_path / "home")
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    opened.desktop.open_run(record.run_id)
    opened.wait_for(lambda: figures_of(opened).get("During") == "60 / 60 / 60\u202fms")
    opened.desktop.live.widget.view.recovery.settings_changed.emit(RecoverySettings(baseline_seconds=30))
    opened.wait_for(lambda: figures_of(opened).get("Before") == "9 / 9 / 9\u202fms")
    assert "over 30\u202fs" in opened.desktop.library.run_page.recovery.card.remarks
    opened.end()


def test_removing_a_fault_recomputes_the_stored_runs_recovery(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    record, _ = keep_faulted(tmp_path / "home")
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    page = opened.desktop.library.run_page
    opened.desktop.open_run(record.run_id)
    opened.wait_for(lambda: page.run_id == record.run_id)
    before = page.warnings.text
    page.mark_removed.emit(90)
    opened.wait_for(lambda: page.recovery.faults.count() == 0)
    assert page.warnings.text != before
    opened.end()


def test_the_histograms_of_a_run_can_be_cancelled(tmp_path: Path) -> None:
    record, faulted = keep_faulted(tmp_path)
    with Library.open(tmp_path / "library.sqlite", notify=print) as library:
        spans = times_spans(faulted.data)
        with pytest.raises(Cancelled):
            library_jobs.recovery_histograms(library, record.run_id, spans, cancelled=lambda: True)
        histograms = library_jobs.recovery_histograms(library, record.run_id, spans, cancelled=lambda: False)
    assert all(histograms.counts(1, first, end) is not None for first, end in spans)


def test_fault_in_a_live_run_shows_the_recovery_panel(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    load = {"threads": 2, "think_time_ms": 50, "ramp_rate": 100, "warmup_minutes": 0.0, "minutes": 10}
    desktop = opened.desktop
    desktop.start_run(RunPlan.from_dict({"targets": [store], **load}), reset=False)
    opened.wait_for(lambda: desktop.live_run.data is not None and desktop.live_run.data.state is RunState.MEASURING)
    view = desktop.live.widget.view
    assert not view.recovery.isVisible()
    qtbot.keyClick(desktop.window, Qt.Key.Key_F9)
    opened.wait_for(view.recovery.isVisible)
    assert view.recovery.title.startswith("Enclosure pulled")
    qtbot.keyClick(desktop.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    opened.wait_for(lambda: not view.recovery.isVisible())


def test_recovery_settings_are_saved(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = open_desktop(qapp, qtbot, home)
    panel = first.desktop.live.widget.view.recovery
    panel.adjust.click()
    popup = panel.findChildren(RecoverySettingsPopup)[-1]
    qtbot.keyClick(popup.threshold, Qt.Key.Key_Down)
    popup.close()
    assert first.desktop.library.run_page.view.recovery_settings.threshold_pct == 94
    first.end()
    assert read_settings(home / "settings.json")[0].recovery["threshold_pct"] == 94
    second = open_desktop(qapp, qtbot, home)
    for view in (second.desktop.live.widget.view, second.desktop.library.run_page.view):
        assert view.recovery_settings == RecoverySettings(threshold_pct=94)
    second.end()
