from pytestqt.qtbot import QtBot

from widgets.parts.form.note import FormNote
from widgets.parts.look import Look
from widgets.wizard.sentences import Sentences


def test_sentences_are_replaced(qtbot: QtBot) -> None:
    sentences = Sentences(Look(), "This run")
    qtbot.addWidget(sentences)
    sentences.show()
    sentences.show_plain(["one", "two", "three"])
    assert sentences.texts == ["one", "two", "three"]
    sentences.show_wrong(["Threads is empty."])
    assert sentences.texts == ["Threads is empty."]
    notes = sentences.findChildren(FormNote)
    assert [(note.isVisible(), note.is_wrong) for note in notes] == [(True, True), (False, False), (False, False)]
    sentences.show_plain(["one", "two"])
    assert sentences.texts == ["one", "two"]
    assert len(sentences.findChildren(FormNote)) == 3
