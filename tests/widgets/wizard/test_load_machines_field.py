"""Load machines in the wizard: typed by hand, or placed evenly or by processors on the machines that are ticked."""

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from engine.draft.plan_draft import PlanDraft
from engine.plan.load_machines import LoadMachine
from widgets.parts.look import Look
from widgets.wizard.load_machines_field import LoadMachinesField
from widgets.wizard.load_page import LoadPage


@pytest.fixture
def page(qtbot: QtBot) -> LoadPage:
    made = LoadPage(Look())
    qtbot.addWidget(made)
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    made.load(PlanDraft(typed={"clients": "10"}))
    made.offer_machines({"load1": 16, "load2": 4, "load3": 0})
    return made


def _field(page: LoadPage) -> LoadMachinesField:
    field = page.form.rows["load_machines"].field
    assert isinstance(field, LoadMachinesField)
    return field


def _action(page: LoadPage, begin: str) -> QAction:
    _field(page).fill_menu()
    return next(each for each in _field(page).menu.actions() if each.text().replace("&", "").startswith(begin))


def _placed(page: LoadPage) -> dict[str, int]:
    return {each.name: each.clients for each in page.draft.plan().load_machines}


def test_ticked_machines_get_the_clients_evenly(page: LoadPage) -> None:
    _field(page).fill_menu()
    assert [each.text() for each in _field(page).menu.actions()[:3]] == [
        "load1: 16 processors",
        "load2: 4 processors",
        "load3: not started",
    ]
    for name in ("load1", "load2", "load3"):
        _action(page, name).trigger()
    assert _placed(page) == {"load1": 4, "load2": 3, "load3": 3}
    assert not _action(page, "Place all clients by processors").isEnabled(), "those of load3 are not known"
    _action(page, "load3").trigger()
    assert _placed(page) == {"load1": 5, "load2": 5}


def test_clients_are_placed_by_processors(page: LoadPage) -> None:
    for name in ("load1", "load2"):
        _action(page, name).trigger()
    _action(page, "Place all clients by processors").trigger()
    assert _placed(page) == {"load1": 8, "load2": 2}
    _action(page, "Place none").trigger()
    assert _placed(page) == {}


def test_they_are_typed_by_hand(page: LoadPage, qtbot: QtBot) -> None:
    qtbot.keyClicks(_field(page), "load1=2, other=1")
    assert page.draft.plan().load_machines == (LoadMachine("load1", 2), LoadMachine("other", 1))
    assert _action(page, "load1").isChecked()
    assert not _action(page, "load2").isChecked()


def test_too_many_clients_are_marked(page: LoadPage, qtbot: QtBot) -> None:
    qtbot.keyClicks(_field(page), "load1=11")
    assert page.form.rows["load_machines"].note.text.startswith(
        "The load machines drive 11 clients, and the plan has 10"
    )


def test_another_workload_offers_the_same_machines(page: LoadPage) -> None:
    draft = PlanDraft()
    draft.choose_workload("wholesale")
    page.load(draft)
    assert _action(page, "load1").text() == "load1: 16 processors"


def test_an_inventory_without_load_machines_is_explained(page: LoadPage) -> None:
    page.offer_machines({})
    _field(page).fill_menu()
    (action,) = _field(page).menu.actions()
    assert "Menu, Machines…" in action.text()
    assert not action.isEnabled()
