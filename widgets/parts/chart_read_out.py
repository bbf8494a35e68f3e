"""What a chart says beside the pointer: the curve's name, the time and the value, always inside of the chart."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QWidget

_GAP_EMS = 1.0


class ReadOut(QLabel):
    """A small box over the chart that lets every click through."""

    def __init__(self, chart: QWidget) -> None:
        super().__init__(chart)
        self._chart = chart
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.Box)
        self.setBackgroundRole(QPalette.ColorRole.ToolTipBase)
        self.setForegroundRole(QPalette.ColorRole.ToolTipText)
        self.setMargin(self.fontMetrics().descent())
        self.hide()

    def tell(self, text: str, at: QPoint) -> None:
        """Say something beside a place of the chart, on whichever side there is room."""
        self.setText(text)
        self.adjustSize()
        gap = round(_GAP_EMS * self.fontMetrics().height())
        room = self._chart.rect()
        left = at.x() + gap if at.x() + gap + self.width() <= room.width() else at.x() - gap - self.width()
        top = at.y() - gap - self.height() if at.y() - gap - self.height() >= 0 else at.y() + gap
        self.move(
            max(0, min(left, room.width() - self.width())),
            max(0, min(top, room.height() - self.height())),
        )
        self.show()
        self.raise_()
