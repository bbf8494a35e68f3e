"""One line with a state: help, error, success, progress.

Called by form rows and by pages that show the result of work. The state is shown by words, a shape and a colour.
"""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from widgets.parts.icons import icon
from widgets.parts.look import Look


class IconBox(QWidget):
    """An icon with the height of the text, crisp at every scale; empty without a name."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._icon = QIcon()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)

    def set_name(self, name: str) -> None:
        self._icon = icon(name, self._look) if name else QIcon()
        self.setVisible(bool(name))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        side = self.fontMetrics().height()
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        self._icon.paint(painter, self.rect())
        painter.end()


class FormNote(QWidget):
    """An icon and a sentence; it keeps the height of one line when it is empty."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._is_wrong = False
        self._shown: tuple[object, ...] = ()
        self._icon = IconBox(look, self)
        self._label = QLabel(self)
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._icon, alignment=Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._label, 1)
        look.changed.connect(self._recolour)
        self.clear()

    @property
    def text(self) -> str:
        return self._label.text()

    @property
    def is_wrong(self) -> bool:
        return self._is_wrong

    def clear(self) -> None:
        self._show("", "")

    def show_help(self, text: str) -> None:
        self._show("", text)

    def show_plain(self, text: str) -> None:
        self._show("", text, is_plain=True)

    def show_wrong(self, text: str) -> None:
        self._show("warning", text, is_wrong=True)

    def show_warning(self, text: str) -> None:
        """A remark that is not an error."""
        self._show("warning", text)

    def show_good(self, text: str) -> None:
        self._show("tick", text)

    def show_open(self, text: str) -> None:
        """Something that is still to be done; not an error."""
        self._show("dot", text)

    def show_busy(self, text: str) -> None:
        self._show("dot", text)

    def _show(self, name: str, text: str, *, is_wrong: bool = False, is_plain: bool = False) -> None:
        """Called for every row of a form at each key press: what is shown already is left alone."""
        height, is_dark = self.fontMetrics().height(), bool(name) or is_plain
        shown = (name, text, is_wrong, is_dark, height)
        if shown == self._shown:
            return
        self._shown, self._is_wrong = shown, is_wrong
        self._icon.set_name(name)
        self._label.setText(text)
        self._label.setMinimumHeight(height)
        self._label.setForegroundRole(QPalette.ColorRole.WindowText if is_dark else QPalette.ColorRole.PlaceholderText)
        self._recolour()

    def _recolour(self) -> None:
        palette = QPalette()
        if self._is_wrong:
            palette.setColor(QPalette.ColorRole.WindowText, self._look.colours.bad)
        self._label.setPalette(palette)
