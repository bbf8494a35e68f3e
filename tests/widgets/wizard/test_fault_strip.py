import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from widgets.parts.look import Look
from widgets.wizard.fault_strip import FaultStrip, StripMark, StripPhases

PHASES = StripPhases(ramp=4, warmup=300, measured=1800)
MARKS = (StripMark(0, 300, "Enclosure pulled"), StripMark(1, 900, "Restored"))


@pytest.fixture
def strip(qtbot: QtBot) -> FaultStrip:
    made = FaultStrip(Look())
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    made.show_plan(PHASES, MARKS, 0)
    made.show()
    return made


def _at(strip: FaultStrip, seconds: float) -> QPoint:
    return QPoint(round(strip.x_of(seconds)), strip.height() // 2)


def test_mark_is_selected_and_dragged(qtbot: QtBot, strip: FaultStrip) -> None:
    moves: list[tuple[int, float]] = []
    strip.moved.connect(lambda number, seconds: moves.append((number, seconds)))
    with qtbot.waitSignal(strip.chosen) as chosen:
        qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=_at(strip, 900))
    assert chosen.args == [1]
    qtbot.mouseMove(strip, _at(strip, 1200))
    qtbot.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=_at(strip, 1200))
    qtbot.mouseMove(strip, _at(strip, 100))
    (number, seconds) = moves[-1]
    a_pixel = 1800 / strip.width()
    assert number == 1
    assert abs(seconds - 1200) <= 2 * a_pixel
    assert seconds == int(seconds)


def test_a_mark_is_not_dragged_out_of_the_measuring_phase(qtbot: QtBot, strip: FaultStrip) -> None:
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=_at(strip, 300))
    with qtbot.waitSignal(strip.moved) as moved:
        qtbot.mouseMove(strip, QPoint(0, 1))
    assert moved.args == [0, 0.0]
    with qtbot.waitSignal(strip.moved) as moved:
        qtbot.mouseMove(strip, QPoint(strip.width() - 1, 1))
    assert moved.args == [0, 1799.0]


def test_click_beside_the_marks_selects_nothing(qtbot: QtBot, strip: FaultStrip) -> None:
    with qtbot.assertNotEmitted(strip.chosen), qtbot.assertNotEmitted(strip.moved):
        qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=_at(strip, 600))
        qtbot.mouseMove(strip, _at(strip, 700))


@pytest.mark.parametrize(
    ("key", "modifier", "seconds"),
    [
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, 299.0),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, 301.0),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, 310.0),
    ],
)
def test_keys_move_the_selected_mark(
    qtbot: QtBot, strip: FaultStrip, key: Qt.Key, modifier: Qt.KeyboardModifier, seconds: float
) -> None:
    with qtbot.waitSignal(strip.moved) as moved:
        qtbot.keyClick(strip, key, modifier)
    assert moved.args == [0, seconds]


def test_keys_cycle_through_the_marks(qtbot: QtBot, strip: FaultStrip) -> None:
    for current, key, number in ((0, Qt.Key.Key_Down, 1), (1, Qt.Key.Key_Down, 0), (-1, Qt.Key.Key_Up, 0)):
        strip.show_plan(PHASES, MARKS, current)
        with qtbot.waitSignal(strip.chosen) as chosen:
            qtbot.keyClick(strip, key)
        assert chosen.args == [number]


def test_late_mark_of_an_open_run_fits_on_the_line(strip: FaultStrip) -> None:
    for phases in (StripPhases(ramp=1), StripPhases(ramp=1, measured=60)):
        strip.show_plan(phases, [StripMark(0, 4000, "late")], 0)
        assert 0 < strip.x_of(4000) < strip.width()


def test_look_change_repaints(qtbot: QtBot) -> None:
    look = Look()
    strip = FaultStrip(look)
    qtbot.addWidget(strip)
    strip.show_plan(PHASES, MARKS, 0)
    light = strip.grab().toImage()
    look.set_dark(True)
    assert strip.grab().toImage() != light


def test_marks_are_accessible(strip: FaultStrip) -> None:
    assert "Enclosure pulled at 5:00; Restored at 15:00" in strip.accessibleDescription()
    strip.show_plan(PHASES, (), -1)
    assert "no faults" in strip.accessibleDescription()


def test_time_labels_do_not_touch_the_focus_frame(qtbot: QtBot, strip: FaultStrip) -> None:
    with qtbot.waitActive(strip):
        strip.activateWindow()
    strip.setFocus()
    picture = strip.grab().toImage()
    left, top, bottom = picture.width() // 2, picture.height() * 3 // 4, picture.height() - 1
    below = {picture.pixel(x, y) for x in range(1, picture.width() - 1) for y in range(bottom - 4, bottom)}
    assert picture.pixelColor(left, bottom).name() == Look().colours.accent
    assert len(below) == 1
    assert len({picture.pixel(x, y) for x in range(1, picture.width() - 1) for y in range(top, bottom - 4)}) > 1
