from dataclasses import dataclass, field

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.form.fields import NumberField
from widgets.parts.form.row import Form
from widgets.parts.look import Look


@dataclass
class Values:
    hosts: str = ""
    threads: str = "8"


@pytest.fixture
def form(qtbot: QtBot) -> Form:
    made = Form(Look())
    qtbot.addWidget(made)
    made.add("hosts", "Hosts", QLineEdit(made), help_text="One or several.")
    made.add("threads", "Threads", NumberField("users", parent=made), beside=True)
    made.show()
    return made


def test_loading_emits_nothing_and_typing_updates_the_object(qtbot: QtBot, form: Form) -> None:
    values = Values()
    with qtbot.assertNotEmitted(form.edited):
        form.fill(Values(hosts="db", threads="9"))
    with qtbot.waitSignal(form.edited):
        qtbot.keyClicks(form.rows["hosts"].field, "1")
    form.read_into(values)
    assert values == Values(hosts="db1", threads="9")


def test_error_replaces_help_and_is_accessible(form: Form) -> None:
    row = form.rows["hosts"]
    assert (row.note.text, row.field.accessibleDescription()) == ("One or several.", "One or several.")
    form.show_errors({"hosts": "Hosts is empty."})
    assert (row.note.text, row.note.is_wrong) == ("Hosts is empty.", True)
    assert row.field.accessibleDescription() == "Hosts is empty."
    row.set_help("Several, with commas.")
    assert row.note.text == "Hosts is empty."
    form.show_errors({})
    assert (row.note.text, row.note.is_wrong) == ("Several, with commas.", False)


def test_row_without_help_and_hidden_row_take_no_space(form: Form) -> None:
    assert not form.rows["threads"].note.isVisible()
    form.show_errors({"threads": "Threads is empty."})
    assert form.rows["threads"].note.isVisible()
    form.rows["threads"].set_visible(False)
    form.show_errors({"threads": "Threads is 0."})
    row = form.rows["threads"]
    assert not any(widget.isVisible() for widget in (row.label, row.field, row.note))
    row.set_visible(True)
    assert all(widget.isVisible() for widget in (row.label, row.field, row.note))


def test_fields_are_named_with_their_unit(form: Form) -> None:
    assert form.rows["threads"].field.accessibleName() == "Threads, users"
    assert nameless_controls(form) == []


@dataclass
class Inner:
    trust: bool = False


@dataclass
class Outer(Values):
    inner: Inner = field(default_factory=Inner)


def test_check_box_edits_a_nested_attribute(qtbot: QtBot, form: Form) -> None:
    box = QCheckBox("Trust", form)
    form.add("trust", "Certificate", box, bound=False)
    form.bind("inner.trust", box)
    values = Outer()
    form.fill(Outer(inner=Inner(trust=True)))
    assert box.isChecked()
    with qtbot.waitSignal(form.edited):
        qtbot.keyClick(box, Qt.Key.Key_Space)
    values.inner.trust = True
    form.read_into(values)
    assert values.inner == Inner(trust=False)


def test_warning_replaces_help_and_is_replaced_by_an_error(form: Form) -> None:
    row = form.rows["hosts"]
    row.set_help("Only in a lab.", is_warning=True)
    plain = form.rows["threads"]
    plain.set_help("Only in a lab.")
    assert (row.note.text, row.note.is_wrong) == ("Only in a lab.", False)
    assert row.note.grab().toImage() != plain.note.grab().toImage()
    form.show_errors({"hosts": "Hosts is empty."})
    assert row.note.is_wrong
    form.show_errors({})
    assert (row.note.text, row.note.is_wrong) == ("Only in a lab.", False)
