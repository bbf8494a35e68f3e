import pytest
from pytestqt.qtbot import QtBot

from tests.widgets.accessibility import nameless_controls
from widgets.parts.form.typed_names import TypedNames
from widgets.parts.look import Look


@pytest.fixture
def names(qtbot: QtBot) -> TypedNames:
    made = TypedNames(Look())
    qtbot.addWidget(made)
    return made


def test_empty_name_list_is_complete_and_takes_no_space(names: TypedNames) -> None:
    assert names.is_complete
    names.show_names(["r630"])
    assert names.isVisible()
    names.show_names(())
    assert names.is_complete
    assert not names.isVisible()


def test_every_name_must_be_typed_exactly(qtbot: QtBot, names: TypedNames) -> None:
    names.show_names(["r630-a", "db1"])
    assert names.first_open() is names.lines[0]
    qtbot.keyClicks(names.lines[0], "R630-a")
    assert names.first_open() is names.lines[0]
    names.lines[0].clear()
    with qtbot.waitSignal(names.changed):
        qtbot.keyClicks(names.lines[0], "r630-a")
    assert names.first_open() is names.lines[1]
    qtbot.keyClicks(names.lines[1], "db1")
    assert names.is_complete


def test_typed_names_are_kept_for_the_same_names(qtbot: QtBot, names: TypedNames) -> None:
    names.show_names(["r630-a"])
    qtbot.keyClicks(names.lines[0], "r630-a")
    names.show_names(["r630-a"])
    assert names.is_complete
    names.show_names(["r630-a", "db1"])
    assert [line.text() for line in names.lines] == ["", ""]


def test_each_line_has_an_accessible_name(names: TypedNames) -> None:
    names.show_names(["r&d"])
    assert nameless_controls(names) == []
    assert names.lines[0].accessibleName() == "Type r&d to arm what can hurt it"
