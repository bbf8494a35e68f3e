import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.wizard.store_work import StoreWork


@pytest.fixture
def work(qtbot: QtBot) -> StoreWork:
    made = StoreWork(Look())
    qtbot.addWidget(made)
    made.show()
    return made


def test_replacement_is_requested_only_if_checked(qtbot: QtBot, work: StoreWork) -> None:
    with qtbot.waitSignal(work.build_requested) as requested:
        work.build.click()
    assert requested.args == [False]
    qtbot.keyClick(work.replaces, Qt.Key.Key_Space)
    with qtbot.waitSignal(work.build_requested) as requested:
        work.build.click()
    assert requested.args == [True]
    for button, signal in ((work.verify, work.verify_requested), (work.reset, work.reset_requested)):
        with qtbot.waitSignal(signal):
            button.click()


def test_only_one_work_runs_and_can_be_cancelled(qtbot: QtBot, work: StoreWork) -> None:
    assert not work.cancel.isEnabled()
    work.show_job("building ds2: loading orders", 0.43)
    assert work.progress.value() == round(0.43 * work.progress.maximum())
    assert work.note.text == "building ds2: loading orders"
    assert [each.isEnabled() for each in (work.build, work.verify, work.reset, work.cancel)] == [False] * 3 + [True]
    with qtbot.waitSignal(work.cancel_requested):
        work.cancel.click()


@pytest.mark.parametrize("ok", [True, False, None])
def test_result_is_kept_and_work_can_be_repeated(work: StoreWork, ok: bool | None) -> None:
    work.show_job("verifying ds2", 0.9)
    work.show_result("1 of 30 checks failed.", ok=ok)
    assert (work.note.text, work.note.is_wrong) == ("1 of 30 checks failed.", ok is False)
    assert work.progress.value() == 0
    assert work.build.isEnabled()
    assert not work.cancel.isEnabled()


def test_cancel_has_focus_during_work_and_focus_is_restored(qtbot: QtBot, work: StoreWork) -> None:
    with qtbot.waitActive(work):
        work.activateWindow()
    work.verify.setFocus()
    for share in (0.1, 0.9):
        work.show_job("verifying ds2", share)
        assert work.cancel.hasFocus()
    work.show_result("1 store verified.", ok=True)
    assert work.verify.hasFocus()


def test_blocking_error_disables_work_with_a_reason(work: StoreWork) -> None:
    buttons = (work.build, work.verify, work.reset)
    work.show_obstacles("Size is 0MB; give another.", "")
    assert [button.isEnabled() for button in buttons] == [False] * 3
    assert {button.toolTip() for button in buttons} == {"Size is 0MB; give another."}
    work.show_obstacles("", "Give the size to build.")
    assert [button.isEnabled() for button in buttons] == [False, True, True]
    work.show_obstacles("", "")
    assert [button.isEnabled() for button in buttons] == [True] * 3


def test_idle_progress_is_hidden_and_keeps_its_space(work: StoreWork) -> None:
    idle = work.sizeHint()
    assert not work.progress.isVisible()
    work.show_job("building ds2", 0.5)
    assert work.progress.isVisible()
    assert work.cancel.isVisible()
    assert work.sizeHint().height() == idle.height()


def test_every_control_has_a_name(work: StoreWork) -> None:
    assert nameless_controls(work) == []
