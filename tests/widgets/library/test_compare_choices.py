"""The four choices of a comparison."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.analysis.comparing.comparison import Align, Moment
from engine.analysis.series.headline_curves import Reading
from tests.widgets.accessibility import nameless_controls
from widgets.library.compare_choices import CompareChoices

FIRST, SECOND = Moment(Align.MARK, "Failover"), Moment(Align.MARK, "Failover", 2)


@pytest.fixture
def choices(qtbot: QtBot) -> CompareChoices:
    choices = CompareChoices()
    qtbot.addWidget(choices)
    choices.offer(["a", "b", "c"], ["client 1"], {FIRST: 3, SECOND: 2}, all_measured=True)
    return choices


def test_runs_are_aligned_at_measuring_by_default(choices: CompareChoices) -> None:
    assert (choices.client, choices.reading, choices.baseline) == (None, (Reading.WINDOW, 10), 0)
    assert choices.moment == Moment(Align.MEASURING)
    choices.offer(["a", "b"], [], {}, all_measured=False)
    assert choices.moment == Moment(Align.START)


def test_marks_show_the_number_of_runs(choices: CompareChoices) -> None:
    texts = [choices.aligned_at.itemText(place) for place in range(choices.aligned_at.count())]
    assert texts == ["start", "start of measuring", "mark “Failover”", "mark “Failover”, 2. (2 of 3 runs)"]


def test_choices_are_made_by_keyboard(choices: CompareChoices, qtbot: QtBot) -> None:
    for combo in (choices.shown, choices.read_as, choices.aligned_at, choices.against):
        with qtbot.waitSignal(choices.changed):
            qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert choices.client == 1
    assert choices.reading == (Reading.WINDOW, 30)
    assert choices.moment == FIRST
    assert choices.baseline == 1


def test_a_load_of_mixed_runs_is_chosen_where_there_are_several(choices: CompareChoices, qtbot: QtBot) -> None:
    assert choices.load.isHidden()
    choices.offer_loads(["DVD Store 2"], "DVD Store 2")
    assert choices.load.isHidden()
    choices.offer_loads(["DVD Store 2", "Mail"], "DVD Store 2")
    assert not choices.load.isHidden()
    with qtbot.waitSignal(choices.load_chosen) as chosen:
        qtbot.keyClick(choices.load, Qt.Key.Key_Down)
    assert chosen.args == ["Mail"]


def test_every_choice_has_a_name(choices: CompareChoices) -> None:
    assert nameless_controls(choices) == []


def test_no_choice_is_elided_while_there_is_room_for_all(choices: CompareChoices, qtbot: QtBot) -> None:
    choices.offer(["R630 SSD, kill primary", "R630 NVMe"], ["client 1"], {FIRST: 2}, all_measured=True)
    combos = (choices.shown, choices.read_as, choices.aligned_at, choices.against)
    choices.resize(choices.sizeHint())
    with qtbot.waitExposed(choices):
        choices.show()
    assert [combo.shown_text for combo in combos] == [combo.currentText() for combo in combos]
    choices.resize(choices.minimumSizeHint())
    qtbot.waitUntil(lambda: choices.against.shown_text != choices.against.currentText())
