import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from engine.draft.layout_draft import FilesDraft, LayoutDraft
from engine.workloads.dvdstore.layout import layout_for
from engine.workloads.dvdstore.sizing import DbSize
from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.wizard.layout_form import LayoutForm

SUGGESTED = layout_for(DbSize(10, "GB"))


@pytest.fixture
def form(qtbot: QtBot) -> LayoutForm:
    made = LayoutForm(Look())
    qtbot.addWidget(made)
    made.show()
    return made


def _line(form: LayoutForm, path: str) -> QLineEdit:
    line = form.fields[path]
    assert isinstance(line, QLineEdit)
    return line


def test_every_field_of_a_layout_can_be_typed(qtbot: QtBot, form: LayoutForm) -> None:
    draft = LayoutDraft()
    form.load(draft)
    for number, field in enumerate(form.fields.values()):
        with qtbot.waitSignal(form.edited):
            qtbot.keyClicks(field, str(number))
    files = [
        FilesDraft("0", "1", "2"), FilesDraft("3", "4", "5"), FilesDraft("6", "7", "8"), FilesDraft("9", "10", "11"),
    ]  # fmt: skip
    assert draft == LayoutDraft(
        *files, log=FilesDraft("12", "", "13"), backup_folder="14", bulk_folder="15", bulk_folder_here="16"
    )
    again = LayoutDraft(orders=FilesDraft(folder="D:\\x"))
    form.load(again)
    assert (_line(form, "orders.folder").text(), _line(form, "log.size_mb").text()) == ("D:\\x", "")


def test_empty_number_shows_and_steps_from_its_suggestion(qtbot: QtBot, form: LayoutForm) -> None:
    draft = LayoutDraft()
    form.load(draft)
    form.show_suggested(SUGGESTED)
    size = _line(form, "customers.size_mb")
    assert size.placeholderText() == str(SUGGESTED.customers.size_mb)
    assert _line(form, "log.size_mb").placeholderText() == str(SUGGESTED.log.size_mb)
    qtbot.keyClick(size, Qt.Key.Key_Up)
    assert draft.customers.size_mb == str(SUGGESTED.customers.size_mb + 10)
    form.show_suggested(None)
    assert size.placeholderText() == ""


def test_instructions_for_the_administrator_are_linked(form: LayoutForm) -> None:
    form.help_button.click()
    page = form.show_help()
    assert page.isVisible()
    assert "BULK_LOGGED" in page.text.toPlainText()
    page.close()


def test_required_disks_are_listed(form: LayoutForm) -> None:
    form.show_total(SUGGESTED)
    assert "Each database takes 27\u202f153\u202fMiB (28.5\u202fGB) when it is created." in form.sum_note.text
    form.show_suggested(None)
    assert "28.5" not in form.sum_note.text


def test_invalid_row_has_an_error_and_gets_the_focus(form: LayoutForm) -> None:
    form.activateWindow()
    form.show_errors({"bulk_folder": "The bulk folder is wrong."})
    assert (form.notes["bulk_folder"].text, form.notes["bulk_folder"].is_wrong) == ("The bulk folder is wrong.", True)
    assert not form.notes["orders"].isVisible()
    form.focus_row("bulk_folder")
    assert form.fields["bulk_folder"].hasFocus()
    form.show_errors({})
    assert "BULK INSERT" in form.notes["bulk_folder"].text


def test_every_field_has_a_name_of_its_own(form: LayoutForm) -> None:
    assert nameless_controls(form) == []
    names = [field.accessibleName() for field in form.fields.values()]
    assert len(set(names)) == len(names)
