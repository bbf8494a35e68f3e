"""What the user injects into a real run: looked at, armed, counted down, fired and aborted."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.draft.injection_draft import InjectionDraft
from engine.faults.fault_text import parse_fault
from engine.faults.planned import PlannedFault
from engine.lab.server import EmbeddedServer
from engine.telemetry.event import EventKind, RunEvent
from tests.app.held_work import HeldWork
from tests.app.window_parts import OpenDesktop, shared_desktop
from widgets.live.live_page import LivePage
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS
from widgets.parts.message_bar import Severity

PULLED = DEFAULT_MARK_KINDS[0]
FIRST, SECOND = "/bin/true", "/bin/echo"
PLANNED = "T+55:00 run /bin/true"


@pytest.fixture
def beeps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    recorded: list[str] = []
    monkeypatch.setattr(QApplication, "beep", lambda: recorded.append("beep"))
    return recorded


@pytest.fixture(scope="module")
def opened(
    qapp: QApplication,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    built_store: str,
    embedded_server: EmbeddedServer,
) -> Iterator[OpenDesktop]:
    """A window with a run that measures; the tests share both."""
    home = tmp_path_factory.mktemp("injecting") / "home"
    with pytest.MonkeyPatch.context() as patch, shared_desktop(qapp, request, home) as opened:
        patch.setenv("SPINDLE_PASSWORD", embedded_server.secret.reveal())
        opened.measure(built_store, faults=[PLANNED])
        yield opened


@pytest.fixture
def page(opened: OpenDesktop) -> Iterator[LivePage]:
    """The page of the run; nothing is asked or counted down on it."""
    page = opened.desktop.live.widget
    yield page
    opened.desktop.live.injecting.abort()
    opened.qtbot.keyClick(page.arming, Qt.Key.Key_Escape)
    opened.wait_for(lambda: not page.arming.isVisible())
    opened.close_messages()


@dataclass(frozen=True)
class Since:
    """The events of the shared run since a test began."""

    data: RunData
    known: frozenset[int]

    def of_kind(self, kind: EventKind) -> list[RunEvent]:
        new = [event for event in self.data.sorted_events() if event.number not in self.known]
        return [event for event in new if event.kind is kind]

    def injections(self) -> list[RunEvent]:
        return self.of_kind(EventKind.INJECTION)


@pytest.fixture
def since(opened: OpenDesktop) -> Since:
    data = opened.desktop.live_run.data
    assert data is not None
    return Since(data, frozenset(data.events))


@pytest.fixture
def held(opened: OpenDesktop, monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldWork]:
    """Every fault's check is held, at a gate of the fault's label."""
    held = HeldWork(opened, monkeypatch)

    def check(fault: PlannedFault) -> None:
        held.wait_at(fault.label)

    monkeypatch.setattr(opened.desktop.live_run, "check_fault", check)
    yield held
    held.let_all_end()


def choose(page: LivePage, qtbot: QtBot, command: str) -> None:
    """Choose a command in the menu, type it and the name that arms it."""
    page.markers.inject.chosen.emit(InjectionDraft(kind="run"))
    qtbot.keyClicks(page.arming.form.form.rows["command"].field, command)
    qtbot.keyClicks(page.arming.names.lines[0], "127.0.0.1")


def test_statement_requires_its_host_name_and_is_logged(
    opened: OpenDesktop, page: LivePage, since: Since, qtbot: QtBot
) -> None:
    page.arming.ask(InjectionDraft(kind="sql", statement="SELECT 42"))
    assert not page.arming.now.isEnabled()
    qtbot.keyClicks(page.arming.names.lines[0], "127.0.0.1")
    qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    opened.wait_for(lambda: any("done" in event.detail for event in since.injections()))
    injected = since.injections()[0]
    assert (injected.label, injected.is_fault) == ("SELECT 42", True)
    assert "execute SELECT 42" in injected.detail
    assert "output: 42" in injected.detail
    assert not page.arming.isVisible()
    log = page.view.log.model
    opened.wait_for(lambda: any("execute SELECT 42" in str(log.index(row, 1).data()) for row in range(log.rowCount())))


def test_impossible_injection_is_rejected_before_the_countdown(
    opened: OpenDesktop, page: LivePage, since: Since, qtbot: QtBot
) -> None:
    page.arming.ask(InjectionDraft(kind="run", command="/no/such/tool"))
    qtbot.keyClicks(page.arming.names.lines[0], "127.0.0.1")
    qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    opened.wait_for(lambda: "/no/such/tool is not a program on this machine" in page.arming.sentence.text)
    assert page.arming.form.isEnabled()
    assert since.injections() == []


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_late_check_of_an_abandoned_fault_injects_nothing(
    opened: OpenDesktop, page: LivePage, since: Since, qtbot: QtBot, held: HeldWork, *, is_cancelled: bool
) -> None:
    choose(page, qtbot, FIRST)
    qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    if is_cancelled:
        qtbot.keyClick(page.arming.cancel, Qt.Key.Key_Return)
    choose(page, qtbot, SECOND)
    qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    held.let_end(f"Run {FIRST}")
    assert page.arming.isVisible()
    held.let_end(f"Run {SECOND}")
    opened.wait_for(lambda: any("done" in event.detail for event in since.injections()))
    assert {event.label for event in since.injections()} == {f"Run {SECOND}"}


def test_another_choice_replaces_a_fault_that_is_being_checked(
    opened: OpenDesktop, page: LivePage, since: Since, qtbot: QtBot, held: HeldWork
) -> None:
    choose(page, qtbot, FIRST)
    qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    choose(page, qtbot, SECOND)
    held.let_end(f"Run {FIRST}")
    assert page.arming.isVisible()
    assert page.arming.title.text() == f"Inject: Run {SECOND}"
    assert since.injections() == []


def test_manual_pull_replaces_a_fault_that_is_being_checked(
    opened: OpenDesktop, page: LivePage, since: Since, qtbot: QtBot, held: HeldWork, beeps: list[str]
) -> None:
    choose(page, qtbot, FIRST)
    qtbot.keyClick(page.arming.now, Qt.Key.Key_Return)
    page.markers.inject.countdown_chosen.emit(PULLED)
    held.let_end(f"Run {FIRST}")
    assert page.arming.countdown.isVisible()
    assert opened.desktop.live.injecting.is_counting_down
    assert since.injections() == []


def test_key_aborts_countdown_without_injection(
    opened: OpenDesktop, page: LivePage, since: Since, qtbot: QtBot, beeps: list[str]
) -> None:
    page.arming.ask(InjectionDraft(kind="run", command="/bin/true"))
    qtbot.keyClicks(page.arming.names.lines[0], "127.0.0.1")
    qtbot.keyClick(page.arming.later, Qt.Key.Key_Space)
    countdown = page.arming.countdown
    opened.wait_for(lambda: countdown.isVisible() and countdown.number.text() != "10")
    assert 0 < int(countdown.number.text()) < 10
    assert len(beeps) >= 2
    qtbot.keyClick(page.arming.countdown.abort, Qt.Key.Key_Escape)
    assert not opened.desktop.live.injecting.is_counting_down
    assert not page.arming.isVisible()
    opened.wait_for(lambda: opened.desktop.window.bar.text.startswith("Aborted"))
    assert since.injections() == []


def test_another_choice_aborts_a_countdown_with_a_message(
    opened: OpenDesktop, page: LivePage, since: Since, qtbot: QtBot, beeps: list[str]
) -> None:
    choose(page, qtbot, FIRST)
    qtbot.keyClick(page.arming.later, Qt.Key.Key_Space)
    opened.wait_for(lambda: page.arming.countdown.isVisible())
    choose(page, qtbot, SECOND)
    assert not opened.desktop.live.injecting.is_counting_down
    opened.wait_for(lambda: opened.desktop.window.bar.text.startswith("Aborted"))
    assert page.arming.isVisible()
    assert page.arming.title.text() == f"Inject: Run {SECOND}"
    qtbot.keyClick(page.arming, Qt.Key.Key_Escape)
    assert not page.arming.isVisible()
    assert since.injections() == []


def test_manual_pull_aborts_a_countdown_with_a_message(opened: OpenDesktop, page: LivePage, beeps: list[str]) -> None:
    page.injection_requested.emit(parse_fault("T+0s run /bin/true"), 10, {})
    opened.wait_for(lambda: page.arming.countdown.isVisible())
    page.markers.inject.countdown_chosen.emit(PULLED)
    opened.wait_for(lambda: opened.desktop.window.bar.text.startswith("Aborted"))
    assert page.arming.countdown.what == "Pull at zero: Enclosure pulled"


def test_injection_happens_when_countdown_ends(
    opened: OpenDesktop, page: LivePage, since: Since, beeps: list[str]
) -> None:
    page.injection_requested.emit(parse_fault("T+0s run /bin/true"), 1, {})
    opened.wait_for(lambda: any("exit code 0" in event.detail for event in since.injections()))
    assert len(beeps) == 2
    assert not page.arming.isVisible()


def test_manual_pull_ends_its_countdown_with_a_mark(
    opened: OpenDesktop, page: LivePage, since: Since, beeps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.live.injecting.COUNTDOWN_SECONDS", 1)
    page.markers.inject.countdown_chosen.emit(PULLED)
    assert page.arming.countdown.what == "Pull at zero: Enclosure pulled"
    opened.wait_for(lambda: bool(since.of_kind(EventKind.MARK)))
    mark = since.of_kind(EventKind.MARK)[0]
    assert (mark.label, mark.by_hand, mark.is_fault) == ("Enclosure pulled", True, True)
    assert len(beeps) == 2
    assert not page.arming.isVisible()


def test_a_planned_injection_is_aborted_from_the_menu(opened: OpenDesktop, page: LivePage) -> None:
    live = opened.desktop.live_run
    opened.wait_for(lambda: len(live.armed()) == 1)
    opened.wait_for(lambda: _abort_titles(page) == ["Run /bin/true, at 55:00"])
    page.markers.inject.abort_requested.emit(live.armed()[0].number)
    assert live.armed() == ()
    opened.wait_for(lambda: "will be skipped" in opened.desktop.window.bar.text)
    assert _abort_titles(page) == []
    page.markers.inject.abort_requested.emit(1)
    opened.wait_for(lambda: opened.desktop.window.bar.severity is Severity.WARNING)


def _abort_titles(page: LivePage) -> list[str]:
    page.markers.inject.fill_menu()
    for action in page.markers.inject.menu().actions():
        if action.text() == "Abort":
            return [each.text() for each in action.menu().actions()]  # type: ignore[attr-defined]
    return []
