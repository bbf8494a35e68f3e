"""The keys of undo and redo in the wizard, which are the draft's everywhere, also in a line edit, which has its own."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QWidget

from widgets.wizard.footer import REDO_KEYS, UNDO_KEYS


class UndoKeys(QObject):
    """Calls ``undo`` and ``redo`` for their keys in ``widget`` and its children."""

    def __init__(self, widget: QWidget, undo: Callable[[], None], redo: Callable[[], None]) -> None:
        super().__init__(widget)
        self._steps = ((UNDO_KEYS, undo), (REDO_KEYS, redo))
        for (keys, step), does in zip(self._steps, ("Undo the last edit of the plan", "Redo it"), strict=True):
            for key in keys:
                shortcut = QShortcut(key, widget, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.setWhatsThis(does)
                shortcut.activated.connect(step)

    def watch(self, lines: Iterable[QLineEdit]) -> None:
        """Take the keys in these lines as well; some may be watched already."""
        for line in lines:
            line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Call the step of a key instead of the line edit's own."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            for keys, step in self._steps:
                if QKeySequence(event.keyCombination()) in keys:
                    step()
                    return True
        return super().eventFilter(watched, event)
