"""A choice among names that may be longer than there is room: the one shown is cut with an ellipsis, not at the edge.

Called by the forms, and by the comparison's choices, whose baseline is a run by its name.
"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox

_MARGIN = 2  # pixels that the style leaves at either side of the text


class ElidedComboBox(QComboBox):
    """Cuts in the middle, as its list does: names of runs differ at their ends. The tool tip has a cut name whole."""

    @property
    def shown_text(self) -> str:
        """The chosen text, as much of it as there is room for."""
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
