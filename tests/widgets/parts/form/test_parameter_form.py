"""Rows made from the parameters of a workload that nobody knew."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from engine.draft.plan_draft import PlanDraft
from engine.plan.parameters import described
from engine.workload.registry import WHOLESALE, find_workload
from engine.workloads.brokerage.workload import DAYS
from widgets.parts.form.fields import NumberField, TimeField
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.look import Look
from widgets.wizard.load_page import LoadPage

LOAD = ("blend", "rolled_back", "keying_minutes", "waits", "prefix")


def test_the_load_page_has_the_fields_of_the_drafts_workload(qtbot: QtBot, toy: str) -> None:
    page = LoadPage(Look())
    qtbot.addWidget(page)
    page.load(PlanDraft())
    page.load(PlanDraft(workload=toy))
    page.show()
    fields = [page.form.rows[key].field for key in LOAD]
    assert [type(field) for field in fields[1:]] == [NumberField, TimeField, QCheckBox, QLineEdit]
    assert isinstance(fields[0], QComboBox)
    assert "n_searches" not in page.form.rows
    assert page.own(dict.fromkeys(("blend", "threads", "n_searches"), "")) == {"blend": "", "threads": ""}
    assert page.preset.count() == 1  # those that come with Spindle are the DVD Store's

    qtbot.keyClick(fields[0], Qt.Key.Key_End)
    fields[1].setFocus()
    qtbot.keyClick(fields[1], Qt.Key.Key_Up)
    qtbot.keyClick(fields[3], Qt.Key.Key_Space)
    assert {key: page.draft.typed[key] for key in LOAD} == {
        "blend": "drawn",
        "rolled_back": "2",
        "keying_minutes": "0:30",
        "waits": "yes",
        "prefix": "",
    }
    assert page.draft.plan().parameters["waits"] is True

    page.load(PlanDraft())
    assert "blend" not in page.form.rows
    assert page.preset.currentText().startswith("Quick")


def test_a_choice_is_shown_in_its_usual_spelling_and_kept_as_plans_have_it(qtbot: QtBot) -> None:
    form = ParameterForm(Look())
    qtbot.addWidget(form)
    mix = form.add_parameter(described(find_workload(WHOLESALE))["mix"])
    assert isinstance(mix, QComboBox)
    assert [mix.itemText(place) for place in range(mix.count())] == ["specified", "HammerDB"]
    assert "; HammerDB: 10/10" in form.rows["mix"].note.text
    form.fill_typed({"mix": "hammerdb"})
    assert (mix.currentText(), form.typed()) == ("HammerDB", {"mix": "hammerdb"})


def test_tab_order_follows_fields_after_a_workload_change(qtbot: QtBot, toy: str) -> None:
    page = LoadPage(Look())
    qtbot.addWidget(page)
    page.load(PlanDraft(workload=toy))
    page.show()
    walked = []
    widget = page.saved
    for _ in page.form.rows:
        widget = widget.nextInFocusChain()
        while not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            widget = widget.nextInFocusChain()
        walked.append(widget)
    assert walked[: len(page.form.rows) - 1] == [row.field for key, row in page.form.rows.items() if key != "preset"]


def test_help_has_the_separators_of_all_figures(qtbot: QtBot) -> None:
    form = ParameterForm(Look())
    qtbot.addWidget(form)
    form.add_parameter(DAYS)
    assert "57\u202f600 a day for 1\u202f000 customers" in form.rows[DAYS.key].field.accessibleDescription()
