"""Campaigns in the whole window: written, checked, carried out on the embedded server, followed, stopped, resumed."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.campaigns.runner import MEASURING
from app.long_work import EndedWork
from app.window.main_window import Place
from engine.campaign.journal import CampaignState, EntryState
from engine.errors import UserError
from engine.plan.plan import RunPlan
from tests.app.window_parts import OpenDesktop, open_desktop
from tests.doubles.webhook_server import WebhookServer
from widgets.campaigns.campaign_view import CampaignView
from widgets.campaigns.editor import TEMPLATES, CampaignEditor

pytestmark = pytest.mark.timeout(900)

PLAN = """
[plan]
targets = ["embedded:///ds2"]
think_time_ms = 50
warmup_minutes = 0
minutes = 0.05
ramp_rate = 100
[plan.parameters]
db_size = "1MB"
"""
SWEEP = f"""name = "users"
{PLAN}
[[steps]]
kind = "sweep"
over = {{ threads = [1, 2] }}
[[steps.steps]]
kind = "reset"
[[steps.steps]]
kind = "run"
"""
IDLE = f"""name = "a long night"
{PLAN}
[[steps]]
kind = "run"
[[steps]]
kind = "idle"
minutes = 60
[[steps]]
kind = "run"
"""


@pytest.fixture
def opened(qapp: QApplication, qtbot: QtBot) -> Iterator[OpenDesktop]:
    home = Path(tempfile.mkdtemp(prefix="spindle-tests-"))
    home.chmod(0o755)  # as root, the servers run under another account
    opened = open_desktop(qapp, qtbot, home)
    opened.desktop.window.show_place(Place.CAMPAIGNS)
    yield opened
    opened.desktop.campaigns.runner.stop()
    opened.end()
    shutil.rmtree(home)


def editor_of(opened: OpenDesktop) -> CampaignEditor:
    return opened.desktop.campaigns.page.editor


def view_of(opened: OpenDesktop) -> CampaignView:
    return opened.desktop.campaigns.page.view


def write(opened: OpenDesktop, text: str) -> None:
    """Write a campaign and wait until it was read."""
    page = opened.desktop.campaigns.page
    page.show_editor(text)
    opened.wait_for(lambda: page.editor.plan is not None)


def state_of(opened: OpenDesktop) -> CampaignState | None:
    tree = view_of(opened).tree
    return None if tree is None else tree.campaign.state


@pytest.mark.parametrize("name", [name for _, name in TEMPLATES])
def test_every_template_is_a_campaign(opened: OpenDesktop, name: str) -> None:
    editor = editor_of(opened)
    opened.desktop.campaigns.page.show_editor("")
    editor.templates.setCurrentIndex(editor.templates.findData(name))
    editor.templates.activated.emit(editor.templates.currentIndex())
    opened.wait_for(lambda: editor.plan is not None)
    assert editor.start_button.isEnabled()
    assert editor.steps.count() > 1


def test_what_is_wrong_in_a_campaign_is_named_while_it_is_written(opened: OpenDesktop) -> None:
    editor = editor_of(opened)
    opened.desktop.campaigns.page.show_editor(SWEEP.replace("threads", "treads"))
    opened.wait_for(lambda: "treads" in editor.note.text)
    assert "threads" in editor.note.text
    assert not editor.start_button.isEnabled()
    editor.put(SWEEP)
    opened.wait_for(lambda: editor.plan is not None)
    assert editor.steps.isEnabled()
    editor.put("name = ")
    opened.wait_for(lambda: "not TOML" in editor.note.text)
    assert editor.note.text.startswith("This is not TOML")
    assert not editor.steps.isEnabled()  # they are those of the text before


def test_a_sweep_is_carried_out_and_its_runs_are_shown_live_and_opened(opened: OpenDesktop) -> None:
    desktop = opened.desktop
    seen: set[str] = set()
    desktop.live_run.began.connect(lambda: seen.add(desktop.live_run.data.run_id if desktop.live_run.data else ""))
    write(opened, SWEEP)
    editor_of(opened).start_button.click()
    said: set[str] = set()
    shares: set[int] = set()

    def look() -> None:
        view = view_of(opened)
        said.add(view.doing.text())
        if view.doing.text().startswith(MEASURING):
            shares.add(view.progress.value())

    desktop.live_run.ticked.connect(look)
    with pytest.raises(UserError, match="Campaign 'users' is in progress"):
        desktop.live_run.start(RunPlan(), reset=False)
    opened.wait_for(lambda: not desktop.campaigns.runner.is_running)
    opened.wait_for(lambda: state_of(opened) is CampaignState.COMPLETED)
    tree = view_of(opened).tree
    assert tree is not None
    assert [branch.point for branch in tree.branches] == [{"threads": 1}, {"threads": 2}]
    assert {run.run_id for run in tree.runs} == seen
    assert any(each.startswith(MEASURING) and each.endswith("left") for each in said)
    assert max(shares) > 0
    view = view_of(opened)
    assert view.runs.model().rowCount() == 2
    assert view.journal.model().rowCount() == 4
    view.report_button.click()
    report = desktop.campaigns.report_page
    opened.wait_for(lambda: report.document is not None)
    assert desktop.campaigns.widget.currentWidget() is report
    assert report.document is not None
    assert "users" in report.document.title
    report.back_requested.emit()
    assert view.isVisible()
    view.library_button.click()
    assert desktop.window.place == Place.LIBRARY
    opened.wait_for(lambda: desktop.library.page.table.shown == 2)
    assert set(desktop.library.page.filters.campaigns.chosen) == {"users"}
    desktop.window.show_place(Place.CAMPAIGNS)
    view.runs.activated.emit(view.runs.model().index(1, 0))
    opened.wait_for(lambda: desktop.library.run_page.run_id == tree.runs[1].run_id)
    assert desktop.window.place == Place.LIBRARY


@pytest.fixture
def chat_tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebhookServer]:
    with WebhookServer() as server:
        monkeypatch.setenv("SPINDLE_NOTIFY_URL", server.url)
        yield server


def test_a_campaign_is_stopped_while_it_idles_and_resumed_without_repeating_its_run(
    chat_tool: WebhookServer, opened: OpenDesktop
) -> None:
    desktop = opened.desktop
    ended: list[EndedWork] = []
    desktop.long_work.ended.connect(ended.append)
    write(opened, IDLE)
    editor_of(opened).start_button.click()
    opened.wait_for(lambda: "left" in view_of(opened).doing.text() and "dle" in view_of(opened).doing.text())
    view_of(opened).stop_button.click()
    opened.wait_for(lambda: state_of(opened) is CampaignState.STOPPED)
    opened.wait_for(lambda: not desktop.campaigns.runner.is_running)
    assert not desktop.live_run.is_busy
    view_of(opened).resume_button.click()
    opened.wait_for(lambda: state_of(opened) is CampaignState.RUNNING and "left" in view_of(opened).doing.text())
    view_of(opened).stop_button.click()
    opened.wait_for(lambda: state_of(opened) is CampaignState.STOPPED)
    tree = view_of(opened).tree
    assert tree is not None
    entries = [(entry.kind, entry.state) for entry in tree.campaign.entries]
    assert entries.count(("run", EntryState.DONE)) == 1
    assert [state for kind, state in entries if kind == "idle"] == [EntryState.STOPPED, EntryState.STOPPED]
    opened.wait_for(lambda: len(chat_tool.notices) == 2)
    assert [notice["campaign"] for notice in chat_tool.notices] == ["a long night"] * 2
    text = chat_tool.notices[0]["text"]
    assert text.startswith("Spindle campaign a long night: stopped, 1 run completed. ")
    assert "OPM" in text
    assert [(work.sentence, work.is_failure) for work in ended] == [(text, False)] * 2
