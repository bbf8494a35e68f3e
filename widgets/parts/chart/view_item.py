"""What the layers of a chart have in common: each covers the visible part of the chart, whatever that is."""

import pyqtgraph as pg
from PySide6.QtCore import QRectF


class ViewItem(pg.GraphicsObject):  # type: ignore[misc]
    """An item that is painted anew whenever the visible range changes."""

    def boundingRect(self) -> QRectF:  # noqa: N802
        return QRectF(self.viewRect())

    def viewRangeChanged(self) -> None:  # noqa: N802
        self.prepareGeometryChange()
        self.update()
