import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.draft.fault_draft import FaultDraft
from tests.widgets.accessibility import nameless_controls
from widgets.parts.look import Look
from widgets.wizard.typed_fault import TypedFault


@pytest.fixture
def typed(qtbot: QtBot) -> TypedFault:
    made = TypedFault(Look())
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.mark.parametrize("way", ["key", "button"])
def test_typed_line_adds_a_fault(qtbot: QtBot, typed: TypedFault, way: str) -> None:
    qtbot.keyClicks(typed.line, "T+40s kill primary")
    with qtbot.waitSignal(typed.typed) as signal:
        if way == "key":
            qtbot.keyClick(typed.line, Qt.Key.Key_Return)
        else:
            qtbot.mouseClick(typed.add, Qt.MouseButton.LeftButton)
    assert signal.args == [FaultDraft.from_text("T+40s kill primary")]
    assert typed.line.text() == ""


def test_invalid_line_stays_with_an_error(qtbot: QtBot, typed: TypedFault) -> None:
    qtbot.keyClicks(typed.line, "T+40s kill primray")
    with qtbot.assertNotEmitted(typed.typed):
        qtbot.keyClick(typed.line, Qt.Key.Key_Return)
    assert typed.line.text() == "T+40s kill primray"
    assert typed.note.is_wrong
    assert typed.note.text == "'kill primray' is not a known action; did you mean 'kill primary'?"
    assert typed.line.accessibleDescription() == typed.note.text
    qtbot.keyClick(typed.line, Qt.Key.Key_Backspace)
    assert not typed.note.is_wrong


def test_controls_have_accessible_names(typed: TypedFault) -> None:
    assert nameless_controls(typed) == []
