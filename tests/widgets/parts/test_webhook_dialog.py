"""The dialog of the webhook: what can be done with a typed URL and with one that is kept."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.parts.webhook_dialog import WebhookDialog

URL = "https://chat.example.com/hooks/T0KEN"


def a_dialog(qtbot: QtBot, *, is_kept: bool) -> WebhookDialog:
    dialog = WebhookDialog(Look(), is_kept=is_kept)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.open()
    return dialog


def enabled(dialog: WebhookDialog) -> list[str]:
    return [each.text() for each in (dialog.test, dialog.remove, dialog.save) if each.isEnabled()]


@pytest.mark.parametrize(("is_kept", "expected"), [(False, []), (True, ["Send a test", "Remove"])])
def test_stored_url_can_be_tested_and_removed_but_not_shown(qtbot: QtBot, is_kept: bool, expected: list[str]) -> None:
    dialog = a_dialog(qtbot, is_kept=is_kept)
    assert enabled(dialog) == expected
    assert dialog.url.text() == ""
    assert ("is kept" in dialog.url.placeholderText()) is is_kept
    assert nameless_controls(dialog) == []


def test_entered_url_can_be_tested_and_saved(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot, is_kept=False)
    qtbot.keyClicks(dialog.url, f" {URL} ")
    assert enabled(dialog) == ["Send a test", "Save"]
    with qtbot.waitSignal(dialog.test_requested) as tried:
        qtbot.mouseClick(dialog.test, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(dialog.save_requested) as saved:
        qtbot.keyClick(dialog.url, Qt.Key.Key_Return)
    assert tried.args == saved.args == [URL]
    dialog.set_stored(True)
    assert (dialog.url.text(), enabled(dialog)) == ("", ["Send a test", "Remove"])


def test_only_one_action_runs_at_a_time(qtbot: QtBot) -> None:
    dialog = a_dialog(qtbot, is_kept=True)
    qtbot.keyClicks(dialog.url, URL)
    dialog.show_busy("Sending …")
    assert enabled(dialog) == []
    dialog.show_result("The notification was not taken: chat.example.com answered HTTP 404.", ok=False)
    assert enabled(dialog) == ["Send a test", "Remove", "Save"]
    assert dialog.note.is_wrong
