"""The window's webhook: its URL is stored in the keyring only, and gets a notice when a run is over."""

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.errors import UserError
from engine.plan.plan import RunPlan
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.memory_keyring import MemoryKeyring
from tests.doubles.webhook_server import TOKEN, WebhookServer
from widgets.parts.webhook_dialog import WebhookDialog


@pytest.fixture
def server() -> Iterator[WebhookServer]:
    with WebhookServer() as running:
        yield running


@pytest.fixture
def memory() -> MemoryKeyring:
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    return memory


def dialog_of(opened: OpenDesktop) -> WebhookDialog:
    opened.desktop.window.webhook_requested.emit()
    dialog = opened.desktop.window.findChild(WebhookDialog)
    assert dialog is not None
    return dialog


def click(opened: OpenDesktop, button: object) -> None:
    opened.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def short_run(opened: OpenDesktop, store: str, name: str) -> None:
    plan = {"targets": [store], "threads": 1, "warmup_minutes": 0.0, "minutes": 0.02, "name": name}
    opened.desktop.start_run(RunPlan.from_dict(plan), reset=False)
    opened.wait_for(lambda: not opened.desktop.live_run.is_busy)


def test_saved_url_is_notified_after_a_restart(
    qapp: QApplication, qtbot: QtBot, home: Path, store: str, server: WebhookServer, memory: MemoryKeyring
) -> None:
    opened = open_desktop(qapp, qtbot, home)
    dialog = dialog_of(opened)
    qtbot.keyClicks(dialog.url, server.url)
    click(opened, dialog.test)
    opened.wait_for(lambda: dialog.note.text == "localhost has taken it.")
    assert [notice["run"] for notice in server.notices] == ["Webhook test"]
    click(opened, dialog.save)
    opened.wait_for(lambda: dialog.note.text == "Kept in the system's keyring.")
    dialog.reject()
    short_run(opened, store, "first")
    opened.wait_for(lambda: server.notices[-1]["run"] == "first")
    opened.end()
    second = open_desktop(qapp, qtbot, home)
    short_run(second, store, "second")
    second.wait_for(lambda: server.notices[-1]["run"] == "second")
    assert server.notices[-1]["state"] == "completed"
    second.end()
    for path in home.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes()


def test_removed_url_is_not_notified(
    qapp: QApplication, qtbot: QtBot, home: Path, store: str, server: WebhookServer, memory: MemoryKeyring
) -> None:
    opened = open_desktop(qapp, qtbot, home)
    dialog = dialog_of(opened)
    qtbot.keyClicks(dialog.url, server.url)
    click(opened, dialog.save)
    opened.wait_for(dialog.remove.isEnabled)
    click(opened, dialog.remove)
    opened.wait_for(lambda: dialog.note.text == "Removed.")
    assert memory.kept == {}
    short_run(opened, store, "unheard")
    opened.wait_for(lambda: opened.desktop.background.is_idle)
    assert server.notices == []
    opened.end()


def test_without_a_keyring_the_url_is_kept_until_closing(
    qapp: QApplication, qtbot: QtBot, home: Path, store: str, server: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_keyring(*_: object) -> None:
        raise UserError("this system's keyring can't be used.")

    monkeypatch.setattr("engine.notify.webhook.keep_secret", no_keyring)
    opened = open_desktop(qapp, qtbot, home)
    dialog = dialog_of(opened)
    qtbot.keyClicks(dialog.url, server.url)
    click(opened, dialog.save)
    opened.wait_for(lambda: "has no keyring" in dialog.note.text)
    short_run(opened, store, "once")
    opened.wait_for(lambda: [notice["run"] for notice in server.notices] == ["once"])
    opened.end()


def test_refusing_webhook_is_reported_and_the_run_is_stored(
    qapp: QApplication, qtbot: QtBot, home: Path, store: str, server: WebhookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPINDLE_NOTIFY_URL", server.url)
    server.refusal = 500
    opened = open_desktop(qapp, qtbot, home)
    short_run(opened, store, "kept")
    opened.wait_for(lambda: opened.desktop.window.bar.text.endswith("localhost answered HTTP 500."))
    assert [record.name for record in opened.desktop.workbench.library().runs()] == ["kept"]
    opened.end()


def test_invalid_url_is_reported_in_the_dialog(qapp: QApplication, qtbot: QtBot, home: Path) -> None:
    opened = open_desktop(qapp, qtbot, home)
    dialog = dialog_of(opened)
    qtbot.keyClicks(dialog.url, "chat.example.com")
    click(opened, dialog.save)
    opened.wait_for(lambda: dialog.note.is_wrong)
    assert dialog.note.text.startswith("The notification URL is no web address")
    opened.end()
