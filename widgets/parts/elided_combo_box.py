"""A combo box whose text is elided when it does not fit, rather than cut at the edge.

Called by the forms, and by the comparison's choices, whose baseline is the name of a run.
"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox

_MARGIN = 1  # the style's margin on either side of the text, in pixels


class ElidedComboBox(QComboBox):
    """Elides in the middle, as its list does: names of runs differ at their ends. The tool tip has the full text."""

    @property
    def shown_text(self) -> str:
        """The displayed part of the chosen text."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return str(option.currentText)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        super().initStyleOption(option)
        style = self.style()
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width() - 2 * _MARGIN
        option.currentText = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideMiddle, room)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip("" if self.shown_text == self.currentText() else self.currentText())
        return super().event(event)
