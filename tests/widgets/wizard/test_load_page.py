import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from engine.draft import PlanDraft
from engine.presets import PRESETS
from widgets.parts.look import Look
from widgets.wizard.load_page import LoadPage


@pytest.fixture
def page(qtbot: QtBot) -> LoadPage:
    made = LoadPage(Look())
    qtbot.addWidget(made)
    made.load(PlanDraft())
    made.edited.connect(lambda: made.show_errors(made.draft.validate()))  # as the wizard does
    return made


def _type(qtbot: QtBot, page: LoadPage, name: str, text: str) -> None:
    field = page.form.rows[name].field
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, text)


def test_the_demonstration_is_the_quick_preset(page: LoadPage) -> None:
    assert page.preset.currentText().startswith("Quick")


@pytest.mark.parametrize("number", range(len(PRESETS)))
def test_each_preset_fills_the_fields(qtbot: QtBot, page: LoadPage, number: int) -> None:
    page.preset.setCurrentIndex(0)
    for _ in range(number + 1):
        qtbot.keyClick(page.preset, Qt.Key.Key_Down)
    preset = PRESETS[number]
    assert page.preset.currentText() == preset.name
    plan = page.draft.plan()
    assert {name: getattr(plan, name) for name in preset.values} == dict(preset.values)
    assert preset.describes[1:] in page.form.rows["preset"].note.text


def test_another_value_makes_it_ones_own_and_the_presets_value_back_again(qtbot: QtBot, page: LoadPage) -> None:
    _type(qtbot, page, "threads", "9")
    assert page.preset.currentText() == "Own load"
    _type(qtbot, page, "threads", "8")
    assert page.preset.currentText().startswith("Quick")


def test_a_time_may_be_written_in_any_way_for_the_preset_to_be_known(qtbot: QtBot, page: LoadPage) -> None:
    for typed in ("48s", "0.8", "0:48"):
        _type(qtbot, page, "minutes", "1")
        assert page.preset.currentText() == "Own load"
        _type(qtbot, page, "minutes", typed)
        assert page.preset.currentText().startswith("Quick")
    assert page.draft.plan().minutes == 0.8


def test_connections_and_the_highest_opm_follow_the_typing(qtbot: QtBot, page: LoadPage) -> None:
    assert page.reach.text() == "Connections: 16 · highest OPM by think time: 48\u202f000, by Little's law"
    _type(qtbot, page, "think_time_ms", "0")
    assert page.reach.text() == "Connections: 16 · highest OPM by think time: no bound without think time"
    _type(qtbot, page, "think_time_ms", "2o")
    assert page.reach.text() == "Connections: – · highest OPM by think time: –"
    assert page.form.rows["think_time_ms"].note.text == "Think time is '2o'; give a number."
