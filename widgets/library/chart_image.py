"""Charts as image files: of a displayed chart, or of a run that no page shows."""

from PySide6.QtCore import QSize

from engine.analysis.run_data import RunData
from engine.report.export_kind import ExportKind
from widgets.live.headline_chart import HeadlineChart
from widgets.parts.chart.picture import PNG_SCALE
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Look

_SIZE = QSize(1280, 720)


def image_of(chart: TimeChart, kind: ExportKind) -> bytes:
    """A chart as it is displayed, as PNG or SVG."""
    is_svg = kind is ExportKind.CHART_SVG
    with chart.picture(1.0 if is_svg else PNG_SCALE) as picture:
        return picture.svg() if is_svg else picture.png()


def run_image(run: RunData, look: Look, kind: ExportKind) -> bytes:
    """The headline metric of a run's clients and their total over the whole run."""
    whole = HeadlineChart(look)
    whole.show_run(run)
    whole.resize(_SIZE)
    whole.grab()  # lays the chart out, although it is never shown
    image = image_of(whole.chart, kind)
    whole.deleteLater()
    return image
