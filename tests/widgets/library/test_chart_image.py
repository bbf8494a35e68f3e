"""Charts as pictures."""

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from engine.report.export_kind import ExportKind
from tests.widgets.library.runs import a_stored_run
from widgets.library.chart_image import run_image
from widgets.parts.look import Look


def test_run_chart_is_saved_as_png_without_a_window(look: Look, qtbot: QtBot) -> None:
    _, run = a_stored_run((30.0, "Enclosure pulled"))
    image = QImage.fromData(run_image(run, look, ExportKind.CHART_PNG), "PNG")
    assert image.width() >= 1_280
    assert image.height() < image.width()
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert {look.colours.total, look.colours.mark} <= colours


def test_run_chart_is_saved_as_svg(look: Look, qtbot: QtBot) -> None:
    _, run = a_stored_run((30.0, "Enclosure pulled"))
    text = run_image(run, look, ExportKind.CHART_SVG).decode()
    assert text.lstrip().startswith("<?xml")
    assert "Enclosure pulled" in text
