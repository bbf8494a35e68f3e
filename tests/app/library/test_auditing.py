"""The audit of a run in the window: after it, on demand, cancelled, and what it leaves behind."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.audit.report import Verdict
from engine.databases.progress import Progress
from engine.errors import Cancelled
from engine.plan.plan import RunPlan
from tests.app.runs import a_run, keep
from tests.app.window_parts import OpenDesktop, open_desktop
from widgets.library.run_columns import NAMES
from widgets.parts.message_bar import Severity

_LOAD = {"threads": 2, "think_time_ms": 20, "ramp_rate": 100, "warmup_minutes": 0.0, "minutes": 0.03}


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenDesktop]:
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    yield opened
    opened.end()


def test_audit_verdict_is_shown_on_run_page_and_in_table(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    desktop = opened.desktop
    desktop.start_run(RunPlan.from_dict({"targets": [store], **_LOAD}), reset=True, audit=True)
    ended = desktop.live.widget.ended
    opened.wait_for(lambda: "No order was lost" in ended.audit.text)
    assert not ended.audit.is_wrong
    assert "No order was lost" not in desktop.window.bar.text  # the page has it already
    qtbot.mouseClick(ended.open_audit, Qt.MouseButton.LeftButton)
    page = desktop.library.run_page
    opened.wait_for(lambda: page.run_id != "")
    assert page.tabs.currentWidget() is page.audit
    assert "No order was lost" in page.audit.verdict.text()
    assert page.audit.counts.model().index(0, 1).data() != "0"
    when = page.audit.when.text()
    qtbot.mouseClick(page.audit.audit, Qt.MouseButton.LeftButton)  # once more, on demand
    assert page.audit.progress.isVisible()
    opened.wait_for(lambda: not page.audit.progress.isVisible())
    assert page.audit.when.text() != "" != when
    desktop.library.show_table()
    table = desktop.library.page.table
    audit = NAMES.index("audit")
    opened.wait_for(lambda: table.shown == 1 and table.model().index(0, audit).data() == Verdict.CLEAN.value)


def test_audit_verdict_is_a_message_if_the_run_page_is_hidden(opened: OpenDesktop, store: str, qtbot: QtBot) -> None:
    desktop, bar = opened.desktop, opened.desktop.window.bar
    desktop.start_run(RunPlan.from_dict({"targets": [store], **_LOAD}), reset=True, audit=True)
    desktop.show_new_run()
    opened.wait_for(lambda: bar.action_button.text() == "Show the audit")
    assert bar.severity is Severity.SUCCESS
    assert "No order was lost" in bar.text
    qtbot.mouseClick(bar.action_button, Qt.MouseButton.LeftButton)
    page = desktop.library.run_page
    opened.wait_for(lambda: page.run_id != "")
    assert page.tabs.currentWidget() is page.audit


def test_audit_of_a_run_without_ledgers_reports_them_missing(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    record = a_run()
    keep(tmp_path / "home", record)
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    desktop = opened.desktop
    desktop.open_run(record.run_id)
    page = desktop.library.run_page
    opened.wait_for(lambda: page.run_id == record.run_id)
    assert page.audit.verdict.text() == "This run has not been audited."
    page.audit.audit.click()
    opened.wait_for(lambda: not desktop.auditing.is_auditing(record.run_id))
    assert "not possible" in page.audit.verdict.text() or page.audit.note.is_wrong
    opened.end()


def test_cancelled_audit_is_not_stored(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def audit_that_waits(*_: Any, report_progress: Any, cancelled: Any, **__: Any) -> None:
        report_progress(Progress(doing="reading ds2", share=0.5))
        while not cancelled():
            threading.Event().wait(0.01)
        raise Cancelled

    monkeypatch.setattr("engine.conduct.after_run.audit_after_run", audit_that_waits)
    record = a_run()
    keep(tmp_path / "home", record)
    opened = open_desktop(qapp, qtbot, tmp_path / "home")
    desktop = opened.desktop
    desktop.open_run(record.run_id)
    page = desktop.library.run_page
    opened.wait_for(lambda: page.run_id == record.run_id)
    page.audit.audit.click()
    opened.wait_for(lambda: page.audit.note.text == "Reading ds2")
    qtbot.keyClick(page.audit.cancel, Qt.Key.Key_Space)
    opened.wait_for(lambda: page.audit.note.text == "Cancelled.")
    assert page.audit.verdict.text() == "This run has not been audited."
    assert desktop.workbench.library().run(record.run_id).audit is None
    opened.end()
