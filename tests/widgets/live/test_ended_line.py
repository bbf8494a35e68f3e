"""The line that says how a run ended."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.analysis.headline import headline_of
from engine.audit.report import AuditReport, OrderCounts, StoreAudit, Verdict
from engine.record.record import RunState
from engine.report.audit_text import load_verdict
from widgets.live.ended_line import EndedLine
from widgets.parts.look import Look

DVD = headline_of("dvdstore")


@pytest.mark.parametrize("state", list(RunState))
def test_ended_line_describes_a_finished_run(qtbot: QtBot, state: RunState) -> None:
    line = EndedLine(Look())
    qtbot.addWidget(line)
    line.show_state(state)
    assert line.isVisible() is state.is_final
    assert (state.value in line.text) is state.is_final


def test_ended_line_links_to_library_and_new_run(qtbot: QtBot) -> None:
    line = EndedLine(Look())
    qtbot.addWidget(line)
    line.show_state(RunState.COMPLETED)
    with qtbot.waitSignal(line.open_requested):
        qtbot.mouseClick(line.open, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(line.new_run_requested):
        qtbot.keyClick(line.new_run, Qt.Key.Key_Space)


def report(verdict: Verdict, **counts: int) -> AuditReport:
    store = StoreAudit(target="embedded:///ds2", database="ds2", verdict=verdict, counts=OrderCounts(**counts))
    return AuditReport(verdict=verdict, stores=(store,))


@pytest.fixture
def line(qtbot: QtBot) -> EndedLine:
    made = EndedLine(Look())
    qtbot.addWidget(made)
    made.show_state(RunState.COMPLETED)
    return made


def test_audit_progress_is_shown_and_can_be_cancelled(qtbot: QtBot, line: EndedLine) -> None:
    assert not line.progress.isVisible()
    line.show_audit_progress("Reading ds2", 0.25)
    assert (line.audit.text, line.progress.value()) == ("Audit: Reading ds2", 250)
    with qtbot.waitSignal(line.cancel_audit_requested):
        qtbot.keyClick(line.cancel_audit, Qt.Key.Key_Space)
    line.cancel_audit.setFocus()
    line.show_audit_trouble("Cancelled.")
    assert (line.audit.text, line.progress.isVisible()) == ("Audit: Cancelled.", False)
    assert line.open.hasFocus()


@pytest.mark.parametrize(
    ("verdict", "counts", "wrong"),
    [
        (Verdict.CLEAN, {"present": 1_234}, False),
        (Verdict.CUT_OFF, {"present": 1_234, "cut_off": 3}, False),
        (Verdict.LOST, {"present": 1_230, "lost": 4}, True),
        (Verdict.SUSPICIOUS, {"present": 1_234, "unknown": 1}, True),
    ],
)
def test_verdict_is_shown_until_the_next_run(
    line: EndedLine, verdict: Verdict, counts: dict[str, int], wrong: bool
) -> None:
    line.show_audit(verdict, load_verdict(report(verdict, **counts), DVD))
    assert "1\u202f234" in line.audit.text
    assert line.audit.is_wrong is wrong
    line.forget_audit()
    assert (line.audit.text, line.audit.isVisible()) == ("", False)
