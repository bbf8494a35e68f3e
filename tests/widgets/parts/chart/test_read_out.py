from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from widgets.parts.chart.read_out import Reading, ReadOut


def test_line_sample_of_a_dashed_curve_is_dashed(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    read_out = ReadOut(window)
    solid, dashed = QColor("#ff0000"), QColor("#00ff00")
    readings = [
        Reading("p95", "12 ms", solid.name()),
        Reading("p95 as intended", "24 ms", dashed.name(), is_dashed=True),
    ]
    read_out.show_readings("0:10", readings, QPoint())
    image = read_out.grab().toImage()
    drawn = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    assert 0 < drawn.count(dashed) < 0.8 * drawn.count(solid)
