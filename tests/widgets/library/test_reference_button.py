"""Published results beside compared runs: a menu of ticks."""

import pytest
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.references import Reference, shipped_references
from engine.workload.registry import DVD_STORE, WHOLESALE
from widgets.library.reference_button import ReferenceButton

FAILOVER = Reference(name="failover only", source="a paper", headline_rate_before=100, headline_rate_lowest=99)
NAMES = [each.name for each in shipped_references() if each.total_headline_rate is not None]


@pytest.fixture
def button(qtbot: QtBot) -> ReferenceButton:
    button = ReferenceButton()
    qtbot.addWidget(button)
    button.offer([*shipped_references(), FAILOVER])
    return button


def test_references_with_a_total_are_offered_with_source(button: ReferenceButton) -> None:
    actions = [action for action in button.menu().actions() if action.isCheckable()]
    assert [action.data() for action in actions] == NAMES
    assert actions[0].toolTip() == shipped_references()[0].source


def test_ticked_references_are_emitted_and_kept(button: ReferenceButton, qtbot: QtBot) -> None:
    action = button.menu().actions()[1]
    with qtbot.waitSignal(button.changed):
        action.trigger()
    assert [each.name for each in button.chosen] == [NAMES[1]]
    button.offer(shipped_references()[1:])
    assert [each.name for each in button.chosen] == [NAMES[1]]


def test_own_references_dialog_is_one_click_away(button: ReferenceButton, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(button.changed), qtbot.waitSignal(button.manage_requested):
        button.manage_action.trigger()


def test_reference_has_the_published_totals() -> None:
    totals = shipped_references()[0].totals
    assert totals.headline_rate == 20_736
    assert [client.headline_rate for client in totals.clients] == [5567, 6055, 4823, 4291]


def offered(button: ReferenceButton) -> list[str]:
    return [action.data() for action in button.menu().actions() if action.isCheckable() and action.isVisible()]


def test_only_results_of_the_runs_workload_are_offered(button: ReferenceButton) -> None:
    button.choose(NAMES[:1])
    button.show_workload(WHOLESALE)
    assert (button.chosen, offered(button)) == ([], [])
    assert button.toolTip() == "There are no published results of Wholesale; add your own"
    theirs = Reference(name="theirs", source="a paper", workload=WHOLESALE, headline_rate=90_000)
    button.offer([*shipped_references(), theirs])
    assert offered(button) == ["theirs"]
    button.menu().actions()[len(NAMES)].trigger()
    assert button.chosen == [theirs]
    button.show_workload(DVD_STORE)
    assert offered(button) == NAMES
    assert [each.name for each in button.chosen] == NAMES[:1]
