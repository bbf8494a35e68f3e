import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from widgets.parts.look import Look
from widgets.wizard.page_list import PageList, PageState


@pytest.fixture
def pages(qtbot: QtBot) -> PageList:
    made = PageList(Look(), ["Targets", "Database"])
    qtbot.addWidget(made)
    made.setCurrentRow(0)
    return made


def test_arrow_keys_select_a_page(qtbot: QtBot, pages: PageList) -> None:
    with qtbot.waitSignal(pages.page_chosen) as chosen:
        qtbot.keyClick(pages, Qt.Key.Key_Down)
    assert chosen.args == [1]


def test_each_state_has_shape_and_word(pages: PageList) -> None:
    shapes, words = [], []
    for state in PageState:
        pages.show_state(1, state)
        assert pages.page_state(1) is state
        shapes.append(pages.item(1).icon().pixmap(pages.iconSize()).toImage())
        words.append(pages.item(1).data(Qt.ItemDataRole.AccessibleTextRole))
    assert words == [
        "Database, not visited yet",
        "Database, to be filled in",
        "Database, ready",
        "Database, has errors",
    ]
    assert shapes[0] != shapes[1] != shapes[2] != shapes[0]


def test_titles_are_not_elided(pages: PageList) -> None:
    assert pages.sizeHint().width() > pages.sizeHintForColumn(0)
