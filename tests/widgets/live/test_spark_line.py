"""The spark line in a cell: zeros on the ground, gaps as gaps."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from engine.analysis.client_rows import SPARK_SECONDS
from tests.doubles.live_runs import LOST_FROM, a_live_run
from widgets.live.client_cells import Column
from widgets.live.client_table import ClientTable
from widgets.live.spark_line import line, stretches
from widgets.parts.look import LIGHT, Look

AREA = QRectF(0, 0, SPARK_SECONDS - 1, 10)


def test_unknown_seconds_interrupt_the_line() -> None:
    values = np.array([np.nan, 1, 2, np.nan, np.nan, 0, np.nan])
    assert stretches(values) == [slice(1, 3), slice(5, 6)]
    assert stretches(np.full(3, np.nan)) == []
    assert stretches(np.array([])) == []


def test_zero_is_at_the_bottom_and_newest_second_at_the_right() -> None:
    values = np.array([0.0, 50.0, 100.0])
    drawn = line(values, slice(0, 3), 100.0, AREA).toList()
    assert [point.y() for point in drawn] == [AREA.bottom(), AREA.center().y(), AREA.top()]
    assert [point.x() for point in drawn] == [AREA.right() - 2, AREA.right() - 1, AREA.right()]


def test_single_second_is_visible() -> None:
    first, second = line(np.array([np.nan, 5.0]), slice(1, 2), 5.0, AREA).toList()
    assert second.x() > first.x()


def test_run_without_orders_is_a_line_at_the_bottom() -> None:
    drawn = line(np.zeros(3), slice(0, 3), 0.0, AREA).toList()
    assert {point.y() for point in drawn} == {AREA.bottom()}


def coloured_columns(image: QImage, colour: str) -> set[int]:
    wanted = QColor(colour).rgb()
    return {x for x in range(image.width()) for y in range(image.height()) if image.pixel(x, y) == wanted}


@pytest.mark.parametrize("cut", [0, 40])
def test_a_lost_clients_line_ends_where_its_seconds_end(qtbot: QtBot, cut: int) -> None:
    """In a column of which some pixels are cut, the line is in the others."""
    table = ClientTable(Look())
    qtbot.addWidget(table)
    table.show_run(a_live_run(4, LOST_FROM + SPARK_SECONDS // 2))
    model, view = table.view.model(), table.view
    view.columns.choose(Column.SPARK, is_shown=True)  # it would be hidden for want of room
    table.resize(view.columnViewportPosition(Column.TARGET) - cut, 300)
    table.show()
    widths = []
    for row in (0, 1):
        cell = view.visualRect(model.index(row, Column.SPARK)) & view.viewport().rect()
        columns = coloured_columns(view.viewport().grab(cell).toImage(), LIGHT.accent)
        widths.append(len(columns))
    assert widths[0] > 0.8 * (view.columnWidth(Column.SPARK) - cut)
    assert abs(widths[1] / widths[0] - 0.5) < 0.1
