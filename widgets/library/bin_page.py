"""The deleted runs, to be restored or removed permanently."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QMenu,
    QMessageBox,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.figure_text import byte_size, counted
from engine.report.run_listing import BinListing
from widgets.library.run_columns import date_text, headline_text
from widgets.parts.fonts import scaled
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_TITLES = ("Name", "Deleted", "Started", "State", "Headline", "On disk")
_WORDS = 4
_WIDEST = (
    "R630 SSD 20 ms 40GB, run 12",
    "2026-11-21 04:30",
    "2026-11-21 04:30",
    "interrupted",
    "1 186 604 NOPM",
    "888.8 MB",
)
_EXPLANATION = "Deleted runs stay here until you empty the bin. Spindle never empties it by itself."


class BinPage(QWidget):
    """``restore_requested`` and ``remove_requested`` carry a list of run ids; the user has confirmed a removal."""

    back_requested = Signal()
    restore_requested = Signal(list)
    remove_requested = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: Sequence[BinListing] = ()
        self.back_button = QPushButton("← Library", self)
        self.restore_button = QPushButton("Restore", self)
        self.remove_button = QPushButton("Remove for good…", self)
        self.empty_button = QPushButton("Empty bin…", self)
        self.table = TableView("Deleted runs", self)
        self._model = TextModel(self)
        self._title = QLabel("Deleted runs", self)
        self._counts = QLabel(self)
        self._nothing = QLabel("The bin is empty.", self)
        self._lists = QStackedWidget(self)
        self._build()
        self._connect()
        self.show_runs(())
        self.table.fit_columns(_WIDEST)

    def show_runs(self, runs: Sequence[BinListing]) -> None:
        """Show these runs; the selection is kept."""
        selected = set(self.selected_ids())
        self._runs = runs
        self._model.show_texts(Texts(_TITLES, tuple(map(_texts, runs)), words=_WORDS))
        self.table.clearSelection()
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.MultiSelection)
        for row, each in enumerate(runs):
            if each.run.run_id in selected:
                self.table.selectRow(row)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        if not self.table.selected_rows():
            self.table.selectRow(0)
        self._lists.setCurrentWidget(self.table if runs else self._nothing)
        self._show_selection()

    def selected_ids(self) -> list[str]:
        """The selected runs in displayed order."""
        return [self._runs[row].run.run_id for row in self.table.selected_rows()]

    def take_focus(self) -> None:
        (self.table if self._runs else self.back_button).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Esc goes back."""
        if event.key() == Qt.Key.Key_Escape:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._title.setFont(scaled(self.font(), 1.15, bold=True))
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.back_button.setToolTip("Back to the library (Esc, Alt+Left)")
        self.restore_button.setToolTip("Put the selected runs back into the library")
        self.table.setModel(self._model)
        self.table.setAlternatingRowColors(True)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        explanation = QLabel(_EXPLANATION, self)
        explanation.setWordWrap(True)
        head = QHBoxLayout()
        head.addWidget(self.back_button)
        head.addWidget(self._title, 1)
        buttons = QHBoxLayout()
        for button in (self.restore_button, self.remove_button, self.empty_button):
            buttons.addWidget(button)
        buttons.addStretch()
        buttons.addWidget(self._counts)
        for widget in (self.table, self._nothing):
            self._lists.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(explanation)
        layout.addWidget(self._lists, 1)
        layout.addLayout(buttons)
        in_order = (self.back_button, self.table, self.restore_button, self.remove_button, self.empty_button)
        for before, after in pairwise(in_order):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        back = QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self)
        back.setWhatsThis("Back to the table")
        back.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        back.activated.connect(self.back_requested)
        self.back_button.clicked.connect(self.back_requested)
        self.restore_button.clicked.connect(self._on_restore)
        self.remove_button.clicked.connect(self._on_remove)
        self.empty_button.clicked.connect(self._on_empty)
        self.table.activated.connect(self._on_restore)
        self.table.customContextMenuRequested.connect(self._on_menu)
        self._model.modelReset.connect(self._show_selection)
        self.table.selectionModel().selectionChanged.connect(self._show_selection)

    def _show_selection(self) -> None:
        has_selection = bool(self._runs) and bool(self.table.selected_rows())
        buttons = (self.restore_button, self.remove_button, self.empty_button)
        focused = self.window().focusWidget()  # also in a window that is not in front
        for button in (self.restore_button, self.remove_button):
            button.setEnabled(has_selection)
        self.empty_button.setEnabled(bool(self._runs))
        size = byte_size(sum(each.stored_bytes for each in self._runs))
        if focused in buttons and not focused.isEnabled():  # Qt gives it to the next button, which empties the bin
            self.take_focus()
        self._counts.setText(f"{counted(len(self._runs), 'deleted run')}, about {size}" if self._runs else "")

    def _on_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button, slot in ((self.restore_button, self._on_restore), (self.remove_button, self._on_remove)):
            action = QAction(button.text(), menu, enabled=button.isEnabled())
            action.triggered.connect(slot)
            menu.addAction(action)
        menu.addSeparator()
        menu.addActions(self.table.copy_actions(menu))
        menu.popup(self.cursor().pos())

    def _on_restore(self) -> None:
        self.restore_requested.emit(self.selected_ids())

    def _on_remove(self) -> None:
        self._ask(set(self.selected_ids()))

    def _on_empty(self) -> None:
        self._ask({each.run.run_id for each in self._runs})

    def _ask(self, run_ids: Collection[str]) -> None:
        chosen = [each for each in self._runs if each.run.run_id in run_ids]
        question = RemovalQuestion(len(chosen), sum(each.stored_bytes for each in chosen), self)
        question.confirmed.connect(lambda: self.remove_requested.emit([each.run.run_id for each in chosen]))
        question.open()


class RemovalQuestion(QMessageBox):
    """Asks whether to remove this many runs permanently; Escape and Enter are Cancel."""

    confirmed = Signal()

    def __init__(self, runs: int, stored_bytes: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setIcon(QMessageBox.Icon.Warning)
        self.setWindowTitle("Remove for good")
        self.setText(f"Remove {counted(runs, 'deleted run')} for good, about {byte_size(stored_bytes)}?")
        self.setInformativeText(
            "Samples, marks, audits and ledgers are removed. This can't be undone. The space in the library's "
            "file is used again by later runs."
        )
        self.remove_button = self.addButton("Remove for good", QMessageBox.ButtonRole.DestructiveRole)
        cancel = self.addButton(QMessageBox.StandardButton.Cancel)
        self.setDefaultButton(cancel)
        self.setEscapeButton(cancel)
        self.remove_button.clicked.connect(self.confirmed)


def _texts(each: BinListing) -> tuple[str, ...]:
    run = each.run
    return (
        run.name or run.run_id,
        each.deleted_at.astimezone().strftime("%Y-%m-%d %H:%M"),
        date_text(run),
        run.state.value,
        headline_text(run),
        byte_size(each.stored_bytes),
    )
