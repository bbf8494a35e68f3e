"""One button for each kind of mark, labelled with its key; the injection menu; and Undo of the latest mark."""

import time
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from widgets.live.inject_menu import InjectButton
from widgets.live.mark_kinds import UNDO_KEY, MarkKind
from widgets.live.mark_kinds_editor import MarkKindsEditor
from widgets.parts.flow_layout import FlowLayout
from widgets.parts.icons import icon
from widgets.parts.look import Look


class MarkerBar(QWidget):
    """``mark_requested`` carries the ``MarkKind``, and ``time.monotonic()`` of the moment at which the button was
    pressed.

    The keys of the kinds work in the whole window, see ``app.live.marking``; the Undo key is the ``RunView``'s.
    """

    mark_requested = Signal(object, float)
    undo_requested = Signal()
    kinds_changed = Signal(list)

    def __init__(self, look: Look, kinds: Sequence[MarkKind], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._kinds = list(kinds)
        self._buttons: list[_MarkButton] = []
        self._editor: MarkKindsEditor | None = None
        self._undo = QPushButton(icon("undo", look), "Undo mark", self)
        self._edit = QToolButton(self)
        self.inject = InjectButton(look, self)
        self._flow = FlowLayout()
        self._lay_out()
        self.set_kinds(kinds)
        self.set_undoable("")

    @property
    def kinds(self) -> list[MarkKind]:
        return list(self._kinds)

    def set_kinds(self, kinds: Sequence[MarkKind]) -> None:
        """Show these kinds, each with a button and its key."""
        for button in self._buttons:
            self._flow.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._kinds = list(kinds)
        self.inject.offer_countdowns(kinds)
        self._buttons = [_MarkButton(kind, self) for kind in kinds]
        for button in self._buttons:
            button.pressed_at.connect(self._on_mark)
            self._flow.addWidget(button)
        self._order_tabs()
        self.updateGeometry()

    def set_undoable(self, label: str) -> None:
        """The mark that Undo would change; empty for none."""
        self._undo.setEnabled(bool(label))
        keys = QKeySequence(UNDO_KEY).toString(QKeySequence.SequenceFormat.NativeText)
        self._undo.setToolTip(f"Undo the mark “{label}” ({keys})" if label else f"No mark to undo ({keys})")

    def _lay_out(self) -> None:
        self._undo.setText(f"Undo mark  {UNDO_KEY}")
        self._undo.clicked.connect(self._on_undo)
        self._edit.setIcon(icon("edit", self._look))
        self._edit.setAccessibleName("Change kinds of marks and keys")
        self._edit.setToolTip("Change kinds of marks and keys")
        self._edit.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._edit.clicked.connect(self.edit_kinds)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        caption = QLabel("Mark:", self)
        layout.addWidget(caption, 0, Qt.AlignmentFlag.AlignTop)
        caption.setMinimumHeight(self._undo.sizeHint().height())
        layout.addLayout(self._flow, 1)
        layout.addWidget(self._undo, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._edit, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.inject, 0, Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def _order_tabs(self) -> None:
        for first, second in pairwise([*self._buttons, self._undo, self._edit, self.inject]):
            QWidget.setTabOrder(first, second)

    def _on_mark(self, at_monotonic: float) -> None:
        button = self.sender()
        if isinstance(button, _MarkButton):
            self.mark_requested.emit(button.kind, at_monotonic)

    def _on_undo(self) -> None:
        self.undo_requested.emit()

    def edit_kinds(self) -> None:
        if self._editor is None:
            self._editor = MarkKindsEditor(self._look, self._kinds, self)
            self._editor.kinds_changed.connect(self._on_kinds)
            self._editor.finished.connect(self._forget_editor)
        self._editor.show()
        self._editor.activateWindow()

    def _on_kinds(self, kinds: list[MarkKind]) -> None:
        self.set_kinds(kinds)
        self.kinds_changed.emit(kinds)

    def _forget_editor(self) -> None:
        if self._editor is not None:
            self._editor.deleteLater()
            self._editor = None


class _MarkButton(QPushButton):
    """A kind's button, which emits the moment at which it was pressed."""

    pressed_at = Signal(float)

    def __init__(self, kind: MarkKind, parent: QWidget) -> None:
        super().__init__(parent)
        self.kind = kind
        self._down_at = 0.0
        sequence = QKeySequence.fromString(kind.key, QKeySequence.SequenceFormat.PortableText)
        key = sequence.toString(QKeySequence.SequenceFormat.NativeText)
        label = f"{kind.label}…" if kind.asks_text else kind.label
        self.setText(f"{label}  {key}".rstrip().replace("&", "&&"))
        self.setAccessibleName(f"Mark {kind.label}, {key}".rstrip(", "))
        self.pressed.connect(self._on_down)
        self.clicked.connect(self._on_click)

    def _on_down(self) -> None:
        self._down_at = time.monotonic()

    def _on_click(self) -> None:
        self.pressed_at.emit(self._down_at)
