"""A kept run's plan."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from engine.plan.plan import RunPlan
from tests.widgets.accessibility import nameless_controls
from widgets.library.plan_tab import PlanTab


@pytest.fixture
def tab(qtbot: QtBot) -> PlanTab:
    tab = PlanTab()
    qtbot.addWidget(tab)
    tab.show_plan(RunPlan(threads=32, think_time_ms=20, minutes=30))
    return tab


def test_plan_is_shown_as_sentences_and_values(tab: PlanTab) -> None:
    assert "1 client × 32 users" in tab.sentences.text()
    model = tab.values.model()
    values = {model.index(row, 0).data(): model.index(row, 1).data() for row in range(model.rowCount())}
    assert (values["Users per client"], values["Think time, ms"], values["Run time"]) == ("32", "20", "30:00")
    assert "pct new customers" not in values


def test_the_command_line_is_copied(tab: PlanTab, qtbot: QtBot) -> None:
    qtbot.mouseClick(tab.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "spindle run --users 32 --think-time-ms 20 --minutes 30"


def test_every_control_has_a_name(tab: PlanTab) -> None:
    assert nameless_controls(tab) == []
