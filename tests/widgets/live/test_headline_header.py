"""The row above the OPM chart, by itself."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from engine.analysis.series.headline_curves import Reading
from tests.widgets.accessibility import nameless_controls
from widgets.live.headline_header import HeadlineHeader


def a_header(qtbot: QtBot) -> HeadlineHeader:
    header = HeadlineHeader()
    qtbot.addWidget(header)
    with qtbot.waitExposed(header):
        header.show()
    header.set_clients([(1, "ds2_1"), (2, "ds2_2")])
    return header


def button(header: HeadlineHeader, text: str) -> QAbstractButton:
    return next(each for each in header.findChildren(QAbstractButton) if each.text() == text)


@pytest.mark.parametrize(
    ("text", "reading"),
    [("Running", (Reading.RUNNING, 10)), ("Second", (Reading.SECOND, 10)), ("60 s", (Reading.WINDOW, 60))],
)
def test_click_selects_an_opm_reading(qtbot: QtBot, text: str, reading: tuple[Reading, int]) -> None:
    header = a_header(qtbot)
    assert header.reading == (Reading.WINDOW, 10)

    with qtbot.waitSignal(header.reading_changed) as changed:
        qtbot.mouseClick(button(header, text), Qt.MouseButton.LeftButton)

    assert tuple(changed.args) == reading == header.reading


def test_selecting_does_not_resize_the_row(qtbot: QtBot) -> None:
    header = a_header(qtbot)
    before = {each.text(): each.geometry() for each in header.findChildren(QAbstractButton)}

    header.choose(Reading.RUNNING)
    header.layout().activate()

    assert {each.text(): each.geometry() for each in header.findChildren(QAbstractButton)} == before


def test_menu_requests_one_or_all_clients(qtbot: QtBot) -> None:
    header = a_header(qtbot)
    menu = next(each for each in header.findChildren(QToolButton) if each.menu()).menu()
    actions = {action.text(): action for action in menu.actions()}

    with qtbot.waitSignal(header.visibility_requested) as requested:
        actions["ds2_2"].trigger()
    assert requested.args == [2, False]
    with qtbot.waitSignal(header.show_all_requested):
        actions["Show all"].trigger()


def test_every_control_has_a_name_and_tab_reaches_each_group_once(qtbot: QtBot) -> None:
    """Within the readings the arrow keys go on, as in every exclusive group."""
    header = a_header(qtbot)
    tab = Qt.FocusPolicy.TabFocus.value

    assert nameless_controls(header) == []
    reached = {each.text() for each in header.findChildren(QAbstractButton) if each.focusPolicy().value & tab}
    assert reached == {"Window 10 s", "Clients", "Live"}


def _bold(header: HeadlineHeader) -> list[str]:
    return [each.text() for each in header.findChildren(QToolButton) if each.font().bold()]


def test_only_the_chosen_reading_is_bold_in_a_header_that_is_added_under_a_style_sheet(
    qtbot: QtBot, qapp: QApplication
) -> None:
    before = qapp.styleSheet()
    qapp.setStyleSheet("QToolButton { padding: 2px; }")
    try:
        window = QWidget()
        qtbot.addWidget(window)
        column = QVBoxLayout(window)
        window.show()
        header = HeadlineHeader()
        column.addWidget(header)
        header.show()
        assert _bold(header) == ["Window 10 s"]
        header.choose(Reading.SECOND)
        assert _bold(header) == ["Second"]
    finally:
        qapp.setStyleSheet(before)
