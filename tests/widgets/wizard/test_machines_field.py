"""The machines of a plan: typed, or ticked in the list of the inventory."""

import pytest
from pytestqt.qtbot import QtBot

from engine.draft.plan_draft import PlanDraft
from tests.texts import lacks
from widgets.parts.look import Look
from widgets.wizard.review_page import ReviewPage


@pytest.fixture
def page(qtbot: QtBot) -> ReviewPage:
    made = ReviewPage(Look())
    qtbot.addWidget(made)
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    made.load(PlanDraft())
    made.show_errors({})
    made.machines.offer({"workstation": "This workstation", "db1": "SSH, Redfish"}, {"R630, SSD": ("db1", "storage")})
    return made


def tick(page: ReviewPage, name: str) -> None:
    page.machines.fill_menu()
    next(each for each in page.machines.menu.actions() if each.text().startswith(name)).trigger()


def test_ticked_machines_are_read_in_the_run(page: ReviewPage) -> None:
    page.machines.fill_menu()
    assert [each.text() for each in page.machines.menu.actions()] == [
        "workstation: This workstation",
        "db1: SSH, Redfish",
        "",
        "Those of R630, SSD: db1, storage",
    ]
    tick(page, "db1")
    tick(page, "workstation")
    assert page.draft.plan().machines == ("db1", "workstation")
    assert lacks(page.plan_sentences.texts, "Measured during the run: db1 and workstation.") == []
    assert "--machine db1 --machine workstation" in page.command.text()
    tick(page, "db1")
    assert page.machines.text() == "workstation"


def test_the_machines_of_a_configuration_are_taken_over(page: ReviewPage) -> None:
    tick(page, "workstation")
    tick(page, "Those of R630, SSD")
    assert page.draft.plan().machines == ("db1", "storage")
    page.machines.fill_menu()
    assert [each.text() for each in page.machines.menu.actions() if each.isChecked()] == ["db1: SSH, Redfish"]


def test_a_name_can_be_typed(page: ReviewPage, qtbot: QtBot) -> None:
    qtbot.keyClicks(page.machines, "db7")
    assert page.draft.plan().machines == ("db7",)


def test_server_waits_are_asked_for(page: ReviewPage) -> None:
    assert not page.draft.plan().server_waits
    page.form.rows["server_waits"].field.click()  # type: ignore[attr-defined]
    assert page.draft.plan().server_waits
    assert "--server-waits" in page.command.text()


def test_an_empty_inventory_is_explained(page: ReviewPage) -> None:
    page.machines.offer({}, {})
    page.machines.fill_menu()
    (action,) = page.machines.menu.actions()
    assert "Menu, Machines…" in action.text()
    assert not action.isEnabled()
