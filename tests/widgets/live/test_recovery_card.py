"""The card of one fault: its words, its clock, its figures."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from engine.analysis.recovery.judging import recovery_of
from tests.doubles.faulted_runs import FaultedRun, a_fault
from tests.widgets.accessibility import nameless_controls
from widgets.live.recovery_card import RecoveryCard
from widgets.live.recovery_values import CardFigure, LostOrders
from widgets.parts.elided_label import ElidedLabel
from widgets.parts.look import Look


@pytest.fixture
def card(qtbot: QtBot) -> RecoveryCard:
    card = RecoveryCard(Look())
    qtbot.addWidget(card)
    card.show()
    return card


def show(card: RecoveryCard, second: int, *, lost: LostOrders | None = None) -> None:
    run = FaultedRun(2).advance_to(second)
    card.show_recovery(recovery_of(run, a_fault(90)), lost or LostOrders())


def test_card_has_visible_and_accessible_state_and_clock(card: RecoveryCard) -> None:
    show(card, 200)
    assert (card.word, card.clock) == ("RECOVERED", "16.6\u202fs")
    assert card._word.accessibleName() == "Recovery: RECOVERED"
    assert card._clock.accessibleName() == "after 16.6\u202fs"


def test_figures_have_their_tool_tips(card: RecoveryCard) -> None:
    show(card, 200, lost=LostOrders(value="7", tool_tip="LOST: 7 of 17 acknowledged orders."))
    assert card.value("black-out") == "4\u202fs"
    assert "in whole seconds" in card.explanation("black-out")
    assert card.value("lost orders") == "7"
    assert card.explanation("lost orders") == "LOST: 7 of 17 acknowledged orders."
    with pytest.raises(KeyError):
        card.value("lunch")


def test_no_figure_is_cut_off_in_the_narrowest_card(qtbot: QtBot, card: RecoveryCard) -> None:
    least = card.minimumSizeHint()
    show(card, 200)
    card._line("lost orders").show_figure(CardFigure(caption="lost Trade-Results of all", value="not audited"))
    line = card._line("lowest running")
    line.show_figure(CardFigure(caption=line.caption, value="1\u202f234\u202f614.70  −15.83\u202f%"))
    card.resize(least)  # that of its panel in the window, which is fixed before a run is shown
    assert card.width() == least.width()
    value = line.findChildren(QLabel)[1]
    qtbot.waitUntil(lambda: value.width() >= value.fontMetrics().horizontalAdvance(value.text()))


def test_a_caption_without_room_gives_way_to_a_shorter_one(qtbot: QtBot, card: RecoveryCard) -> None:
    show(card, 200)
    line = card._line("lost orders")
    long = "lost Trade-Orders and Trade-Results"
    line.show_figure(CardFigure(caption=long, value="at the end", short="lost transactions"))
    caption = line.findChildren(ElidedLabel)[0]
    card.resize(500, card.height())
    qtbot.waitUntil(lambda: caption.shown_text == "lost transactions")
    card.resize(1_000, card.height())
    qtbot.waitUntil(lambda: caption.shown_text == long)
    assert caption.accessibleName() == line.caption == long


def test_remarks_scroll_by_whole_lines(qtbot: QtBot, card: RecoveryCard) -> None:
    card.resize(card.minimumSizeHint())
    show(card, 200)
    line = QFontMetrics(card.font()).lineSpacing()
    qtbot.waitUntil(lambda: card.text_area.verticalScrollBar().maximum() > 0)
    assert card.text_area.viewport().height() % line == 0
    card.text_area.setFocus()
    qtbot.keyClick(card.text_area, Qt.Key.Key_End)
    qtbot.keyClick(card.text_area, Qt.Key.Key_Down)
    assert card.text_area.verticalScrollBar().value() > 0


def test_card_grows_with_the_font(qtbot: QtBot, card: RecoveryCard) -> None:
    width = card.minimumSizeHint().width()
    font = card.font()
    font.setPointSizeF(2 * font.pointSizeF() if font.pointSizeF() > 0 else 20)
    card.setFont(font)
    qtbot.waitUntil(lambda: card.minimumSizeHint().width() > 1.5 * width)


def test_every_control_has_a_name(card: RecoveryCard) -> None:
    show(card, 160)
    assert nameless_controls(card) == []


def test_clock_caption_is_hidden_if_it_would_overlap_the_state(qtbot: QtBot, card: RecoveryCard) -> None:
    show(card, 200)
    card.resize(1_000, card.height())
    qtbot.waitUntil(card._clock_caption.isVisible)
    assert not card._clock_caption.geometry().intersects(card._word.geometry())
    card.resize(card.minimumSizeHint().width() - 2 * card._clock_caption.width(), card.height())
    qtbot.waitUntil(lambda: not card._clock_caption.isVisible())


def test_a_state_without_a_clock_is_whole_in_the_narrowest_card(qtbot: QtBot, card: RecoveryCard) -> None:
    least = card.minimumSizeHint()
    run = FaultedRun(2, heals=False)
    run.advance_to(170)
    card.show_recovery(recovery_of(run.end(), a_fault(90)), LostOrders())
    assert (card.word, card.clock) == ("NOT RECOVERED", "")
    card.resize(least)
    assert card.width() == least.width()
    word = card._word
    qtbot.waitUntil(lambda: word.width() >= word.fontMetrics().horizontalAdvance(word.text()))
    show(card, 200)
    qtbot.waitUntil(card._clock.isVisible)
