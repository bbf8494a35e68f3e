import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.wizard.replace_question import ReplaceQuestion

_BESIDE = "Database 'ds2' on db1.lab holds a 100GB store. The new one is built beside it."
_FIRST = "Database 'ds2' on db1.lab holds a 100GB store. There is no room to build the new one beside it."


@pytest.mark.parametrize(
    ("sentences", "deletes", "text", "button"),
    [
        ([_BESIDE], 0, "Replace the store?", "Replace"),
        ([_FIRST], 1, "Delete the store first?", "Delete and build"),
        ([_BESIDE] * 4, 0, "Replace 4 stores?", "Replace"),
        ([_FIRST] * 4, 4, "Delete 4 stores first?", "Delete and build"),
        ([_FIRST, _BESIDE, _BESIDE], 1, "Replace 3 stores, 1 of them deleted first?", "Delete and build"),
    ],
)
def test_question_names_stores_and_consequences(
    qtbot: QtBot, sentences: list[str], deletes: int, text: str, button: str
) -> None:
    question = ReplaceQuestion(sentences, deletes=deletes)
    qtbot.addWidget(question)
    assert (question.text(), question.go_on.text()) == (text, button)
    assert sentences[0] in question.informativeText()
    assert ("no store is left" in question.informativeText()) is bool(deletes)
    assert "What runs have added is lost." in question.informativeText()


def test_question_has_the_workloads_word_for_its_stores(qtbot: QtBot) -> None:
    question = ReplaceQuestion([_FIRST] * 8, deletes=8, words=("file", "files"))
    qtbot.addWidget(question)
    assert question.text() == "Delete 8 files first?"
    assert "And 2 more files." in question.informativeText()
    assert "no file is left" in question.informativeText()


def test_question_names_a_few_of_many_stores_and_counts_the_rest(qtbot: QtBot) -> None:
    sentences = [f"Database 'ds2_{number}' holds a 1GB store." for number in range(1, 25)]
    question = ReplaceQuestion(sentences, deletes=0)
    qtbot.addWidget(question)
    assert "'ds2_6'" in question.informativeText()
    assert "'ds2_7'" not in question.informativeText()
    assert "And 18 more stores." in question.informativeText()


@pytest.mark.parametrize(("key", "goes_on"), [(Qt.Key.Key_Escape, False), (Qt.Key.Key_Return, False), (None, True)])
def test_only_the_confirm_button_continues(qtbot: QtBot, key: Qt.Key | None, goes_on: bool) -> None:
    question = ReplaceQuestion([_BESIDE], deletes=0)
    qtbot.addWidget(question)
    question.open()
    with qtbot.waitSignal(question.answered) as answered:
        if key is None:
            question.go_on.click()
        else:
            qtbot.keyClick(question, key)
    assert answered.args == [goes_on]


def test_deleting_first_is_optional_if_both_fit(qtbot: QtBot) -> None:
    question = ReplaceQuestion([_BESIDE], deletes=0)
    qtbot.addWidget(question)
    question.open()
    assert not question.deletes_first
    question.delete_first.click()
    assert question.deletes_first
    must = ReplaceQuestion([_FIRST], deletes=1)
    qtbot.addWidget(must)
    must.open()
    assert not must.delete_first.isVisible()
    assert nameless_controls(question) == nameless_controls(must) == []
