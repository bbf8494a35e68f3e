import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from widgets.parts.form.fields import NumberField, TimeField, fill_field, on_edit, read_field


def test_arrow_keys_step_and_emit(qtbot: QtBot) -> None:
    field = NumberField("ms", step=0.1)
    qtbot.addWidget(field)
    expected: list[str] = []
    field.textEdited.connect(expected.append)
    field.setText("0.1")
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(field, key)
    assert expected == ["0.2", "0.1", "0"]
    assert field.text() == "0"


@pytest.mark.parametrize(
    ("typed", "bare_seconds", "shown"),
    [
        ("40", 1, "0:40"),
        ("40", 60, "40:00"),
        ("1.5", 60, "1:30"),
        ("90s", 60, "1:30"),
        ("2m", 1, "2:00"),
        ("0:07", 60, "0:07"),
        ("soon", 60, "soon"),
        ("", 60, ""),
    ],
)
def test_time_formats_are_normalised(qtbot: QtBot, typed: str, bare_seconds: float, shown: str) -> None:
    field = TimeField(bare_seconds=bare_seconds)
    qtbot.addWidget(field)
    expected: list[str] = []
    field.textEdited.connect(expected.append)
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == shown
    assert expected[-1:] == ([shown] if shown else [])


def test_arrow_keys_step_a_time(qtbot: QtBot) -> None:
    field = TimeField(bare_seconds=60, step_seconds=300)
    qtbot.addWidget(field)
    field.setText("0:48")
    for key, shown in ((Qt.Key.Key_Up, "5:48"), (Qt.Key.Key_Down, "0:48"), (Qt.Key.Key_Down, "0:00")):
        qtbot.keyClick(field, key)
        assert field.text() == shown


def test_invalid_number_is_not_stepped(qtbot: QtBot) -> None:
    field = NumberField()
    qtbot.addWidget(field)
    qtbot.keyClicks(field, "2o")
    qtbot.keyClick(field, Qt.Key.Key_Up)
    assert field.text() == "2o"


def test_unit_is_displayed_but_not_part_of_the_value(qtbot: QtBot) -> None:
    with_unit, without = NumberField("ms"), NumberField()
    for field in (with_unit, without):
        qtbot.addWidget(field)
        field.setText("20")
        field.resize(with_unit.sizeHint())
    assert read_field(with_unit) == "20"
    assert with_unit.sizeHint().width() > without.sizeHint().width()
    assert with_unit.grab().toImage() != without.grab().toImage()


def test_every_field_type_round_trips_its_value(qtbot: QtBot) -> None:
    line, box = QLineEdit(), QComboBox()
    for field in (line, box):
        qtbot.addWidget(field)
    box.addItem("PostgreSQL", "postgresql")
    box.addItem("Embedded server", "embedded")
    edits: list[str] = []
    on_edit(line, lambda: edits.append("line"))
    on_edit(box, lambda: edits.append("box"))
    fill_field(line, "db1")
    fill_field(box, "embedded")
    assert (read_field(line), read_field(box), edits) == ("db1", "embedded", [])
    qtbot.keyClicks(line, "0")
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert (read_field(line), read_field(box), edits) == ("db10", "postgresql", ["line", "box"])


@pytest.mark.parametrize("text", ["40", "41"])
def test_filling_with_the_same_text_keeps_the_cursor(qtbot: QtBot, text: str) -> None:
    line = QLineEdit("40")
    qtbot.addWidget(line)
    line.setCursorPosition(1)
    fill_field(line, text)
    assert line.cursorPosition() == (1 if text == "40" else 2)


def test_empty_number_steps_from_its_placeholder(qtbot: QtBot) -> None:
    number = NumberField(step=10)
    qtbot.addWidget(number)
    number.setPlaceholderText("250")
    qtbot.keyClick(number, Qt.Key.Key_Up)
    assert number.text() == "260"
