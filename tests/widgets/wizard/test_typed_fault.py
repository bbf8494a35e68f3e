import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.draft.fault_draft import FaultDraft
from engine.subject import Subject
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


@pytest.mark.parametrize("subject", Subject)
def test_examples_are_faults_that_can_be_typed(typed: TypedFault, subject: Subject) -> None:
    typed.show_examples(subject)
    below = typed.note.text.removeprefix("Such as ").removesuffix(".").split(", T+")
    examples = [typed.line.placeholderText(), below[0], *(f"T+{each}" for each in below[1:])]
    assert [FaultDraft.from_text(each).at for each in examples]
    assert (subject is Subject.DATABASE) is any("primary" in each for each in examples)


def test_controls_have_accessible_names(typed: TypedFault) -> None:
    assert nameless_controls(typed) == []
