import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from engine.draft.injection_choices import action_choices
from engine.draft.injection_draft import InjectionDraft
from engine.target.target import EMBEDDED, Target
from tests.widgets.accessibility import nameless_controls
from widgets.live.inject_menu import InjectButton, PendingInjection
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS, MarkKind
from widgets.parts.look import Look

PAIR = Target(kind=EMBEDDED, nodes=2)


@pytest.fixture
def button(qtbot: QtBot) -> InjectButton:
    made = InjectButton(Look())
    qtbot.addWidget(made)
    made.offer_countdowns(DEFAULT_MARK_KINDS)
    return made


def entry(menu: QMenu, *titles: str) -> QAction:
    for title in titles[:-1]:
        found = entry(menu, title).menu()
        assert isinstance(found, QMenu)
        menu = found
    return next(action for action in menu.actions() if action.text() == titles[-1])


def titles_of(button: InjectButton) -> list[str]:
    button.fill_menu()
    return [action.text() for action in button.menu().actions() if not action.isSeparator()]


def test_inject_menu_offers_actions_for_the_targets(button: InjectButton) -> None:
    forms = ["SQL…", "Command…", "Shell command…", "SSH command…", "Redfish reset…", "Count down 10 s to"]
    assert titles_of(button) == forms
    button.offer((Target.parse("storage:///data/f")[0],))
    assert titles_of(button) == forms[1:]
    button.offer((Target(kind=EMBEDDED),))
    assert titles_of(button) == [*action_choices(1), *forms]
    button.offer((PAIR,))
    assert titles_of(button) == ["Kill and stop", "Freeze", "Failover", "Network", "Mend", *forms]


def test_action_is_chosen_and_explained_in_a_tool_tip(qtbot: QtBot, button: InjectButton) -> None:
    button.offer((PAIR,))
    button.fill_menu()
    freeze = entry(button.menu(), "Freeze", "Freeze primary")
    assert freeze.toolTip() == "Freeze all processes of the primary (SIGSTOP)."
    with qtbot.waitSignal(button.chosen) as chosen:
        freeze.trigger()
    assert chosen.args == [InjectionDraft(action="freeze_primary")]
    with qtbot.waitSignal(button.chosen) as chosen:
        entry(button.menu(), "SSH command…").trigger()
    assert chosen.args == [InjectionDraft(kind="ssh")]


def test_countdown_item_emits_the_mark_label(qtbot: QtBot, button: InjectButton) -> None:
    button.offer_countdowns([MarkKind(label="R&D rack"), MarkKind(label="Note", asks_text=True)])
    button.fill_menu()
    pulls = entry(button.menu(), "Count down 10 s to").menu()
    assert isinstance(pulls, QMenu)
    assert [action.text() for action in pulls.actions()] == ["R&&D rack"]
    with qtbot.waitSignal(button.countdown_chosen) as chosen:
        pulls.actions()[0].trigger()
    assert chosen.args == [MarkKind(label="R&D rack")]


def test_pending_injection_can_be_aborted(qtbot: QtBot, button: InjectButton) -> None:
    assert "Abort" not in titles_of(button)
    button.show_pending([PendingInjection(number=7, label="Kill primary", when="at 0:40")])
    button.fill_menu()
    with qtbot.waitSignal(button.abort_requested) as aborted:
        entry(button.menu(), "Abort", "Kill primary, at 0:40").trigger()
    assert aborted.args == [7]


def test_menu_closes_with_the_button_at_the_end_of_the_run(qtbot: QtBot, button: InjectButton) -> None:
    button.show()
    button.menu().popup(button.pos())
    qtbot.waitUntil(button.menu().isVisible)
    button.hide()
    assert not button.menu().isVisible()


def test_inject_menu_has_an_accessible_name(button: InjectButton) -> None:
    assert nameless_controls(button) == []
