import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.draft.target_draft import TargetDraft
from engine.target.target import MAIL, POSTGRESQL
from widgets.parts.look import Look
from widgets.wizard.target_list import TargetList

TARGETS = [TargetDraft(), TargetDraft(kind=POSTGRESQL, hosts="db1"), TargetDraft(label="array A")]


@pytest.fixture
def targets(qtbot: QtBot) -> TargetList:
    made = TargetList(Look())
    qtbot.addWidget(made)
    made.show_targets(TARGETS, 1, {2})
    return made


def test_targets_are_numbered_and_invalid_one_is_marked(targets: TargetList) -> None:
    texts = [targets.list.item(place).text() for place in range(targets.list.count())]
    assert texts == ["1  Embedded server, ds2", "2  PostgreSQL, db1, ds2", "3  array A"]
    assert [targets.list.item(place).icon().isNull() for place in range(3)] == [True, True, False]
    assert targets.list.item(2).data(Qt.ItemDataRole.AccessibleTextRole) == "3  array A, has errors"


def test_a_workloads_first_target_is_not_elided(qtbot: QtBot, targets: TargetList) -> None:
    targets.show_targets([TargetDraft(database=database) for database in ("wholesale", "brokerage")], 0, set())
    targets.resize(targets.sizeHint())
    targets.show()
    qtbot.waitUntil(lambda: targets.list.viewport().width() >= targets.list.sizeHintForColumn(0))


def test_a_long_target_takes_as_many_lines_as_it_needs(qtbot: QtBot, targets: TargetList) -> None:
    short, mail = TargetDraft(), TargetDraft(kind=MAIL, hosts="mail.example.org:143", database="example.org")
    targets.show_targets([short, mail], 0, set())
    targets.resize(targets.sizeHint())
    with qtbot.waitExposed(targets):
        targets.show()
    rows = targets.list
    heights = [rows.visualItemRect(rows.item(place)).height() for place in range(2)]
    assert heights[1] - heights[0] >= rows.fontMetrics().height()
    assert all(rows.visualItemRect(rows.item(place)).width() <= rows.viewport().width() for place in range(2))


def test_showing_emits_nothing_and_a_key_selects(qtbot: QtBot, targets: TargetList) -> None:
    with qtbot.assertNotEmitted(targets.chosen):
        targets.show_targets(TARGETS[:2], 1, set())
    assert targets.list.count() == 2
    with qtbot.waitSignal(targets.chosen) as chosen:
        qtbot.keyClick(targets.list, Qt.Key.Key_Up)
    assert chosen.args == [0]


@pytest.mark.parametrize(("key", "step"), [(Qt.Key.Key_Up, -1), (Qt.Key.Key_Down, 1)])
def test_alt_arrow_moves_a_target(qtbot: QtBot, targets: TargetList, key: Qt.Key, step: int) -> None:
    with qtbot.assertNotEmitted(targets.chosen), qtbot.waitSignal(targets.moved) as moved:
        qtbot.keyClick(targets.list, key, Qt.KeyboardModifier.AltModifier)
    assert moved.args == [step]


def test_buttons_emit_and_unusable_ones_are_disabled(qtbot: QtBot, targets: TargetList) -> None:
    for button, signal in (
        (targets.add, targets.add_requested),
        (targets.duplicate, targets.duplicate_requested),
        (targets.remove, targets.remove_requested),
        (targets.up, targets.moved),
        (targets.down, targets.moved),
    ):
        with qtbot.waitSignal(signal):
            button.click()
    targets.show_targets(TARGETS[:1], 0, set())
    assert [button.isEnabled() for button in (targets.remove, targets.up, targets.down)] == [False] * 3
