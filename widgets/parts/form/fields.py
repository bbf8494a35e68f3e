"""Fields of a form: numbers with their unit inside, and one way to read and fill fields of every kind.

Called by form rows. A field holds what was typed, valid or not: the plan validates it.
"""

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QStyle, QStyleOptionFrame, QWidget

from engine.errors import BadInput
from engine.parameters.typed_text import duration_of, time_text
from widgets.parts.elided_combo_box import ElidedComboBox

_DIGITS = 11


class NumberField(QLineEdit):
    """A number, right-aligned before its unit; the arrow keys change it by ``step``, never below 0.

    An empty field starts from the number of its placeholder.
    """

    def __init__(self, unit: str = "", *, step: float = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unit = unit
        self._step = step
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if unit:
            self.setTextMargins(0, 0, self._unit_width(), 0)

    @property
    def unit(self) -> str:
        return self._unit

    def sizeHint(self) -> QSize:  # noqa: N802
        size = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance("0") * _DIGITS + self._unit_width(), size.height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {Qt.Key.Key_Up.value: 1, Qt.Key.Key_Down.value: -1}
        if event.key() in steps:
            self._step_by(steps[event.key()] * self._step)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if not self._unit:
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        inside.adjust(0, 0, -self.fontMetrics().horizontalAdvance(" "), 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._unit)
        painter.end()

    def _unit_width(self) -> int:
        return self.fontMetrics().horizontalAdvance(f" {self._unit} ") if self._unit else 0

    def _step_by(self, step: float) -> None:
        try:
            number = float(self.text() or self.placeholderText())
        except ValueError:
            return
        self._type(f"{max(0.0, round(number + step, 6)):.6f}".rstrip("0").rstrip("."))

    def _type(self, text: str) -> None:
        if text != self.text():
            self.setText(text)
            self.textEdited.emit(text)


class TimeField(NumberField):
    """A time as ``40s``, ``2m``, ``1.5`` or ``0:40``, shown as m:ss after typing.

    A number without a unit counts ``bare_seconds`` each. Invalid text stays as it was typed.
    """

    def __init__(self, *, bare_seconds: float = 1.0, step_seconds: float = 10.0, parent: QWidget | None = None) -> None:
        super().__init__("m:ss", step=step_seconds, parent=parent)
        self._bare_seconds = bare_seconds
        self.editingFinished.connect(self._tidy)

    def _tidy(self) -> None:
        if self.text().strip():
            self._show_seconds(0.0)

    def _step_by(self, step: float) -> None:
        self._show_seconds(step)

    def _show_seconds(self, more: float) -> None:
        try:
            seconds = duration_of(self.text() or "0", bare_seconds=self._bare_seconds)
        except BadInput:
            return
        self._type(time_text(max(0.0, seconds + more)))


def choice_field(parent: QWidget) -> QComboBox:
    """A combo box that may be narrower than its longest item."""
    box = ElidedComboBox(parent)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(_DIGITS)
    return box


def read_field(field: QWidget) -> str | bool:
    """The value of a line edit, a combo box (its item's data) or a check box."""
    if isinstance(field, QLineEdit):
        return field.text()
    if isinstance(field, QCheckBox):
        return field.isChecked()
    assert isinstance(field, QComboBox)
    return str(field.currentData())


def fill_field(field: QWidget, value: str | bool) -> None:
    """Show a value without emitting an edit; a line edit that already shows it keeps its cursor."""
    if isinstance(field, QLineEdit):
        if field.text() != value:
            field.setText(str(value))
    elif isinstance(field, QCheckBox):
        field.setChecked(bool(value))
    else:
        assert isinstance(field, QComboBox)
        field.setCurrentIndex(field.findData(value))


def on_edit(field: QWidget, slot: Callable[[], None]) -> None:
    """Call the slot when the user edits the field, not when it is filled."""
    if isinstance(field, QLineEdit):
        field.textEdited.connect(slot)
    elif isinstance(field, QCheckBox):
        field.clicked.connect(slot)
    else:
        assert isinstance(field, QComboBox)
        field.activated.connect(slot)
