"""The practice servers: state of the embedded server, start and stop, actions, and its logs.

The dialog shows a ``LabView`` and emits what the user asks for; the application does it.
"""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QGroupBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.draft.lab_choices import FAILOVER_HELP, FAILOVER_TITLES, LAB_CHOICES, lab_choice
from engine.figure_text import counted
from widgets.lab.action_panel import ActionPanel
from widgets.lab.lab_view import NODE_TITLES, NODE_WORDS, LabView
from widgets.lab.log_view import LogView
from widgets.parts.dialog_size import resize_to_text
from widgets.parts.fonts import scaled
from widgets.parts.form.fields import choice_field
from widgets.parts.form.note import FormNote
from widgets.parts.form.row import Form
from widgets.parts.look import Look
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_COLUMNS, _LINES = 132, 46
_HEADLINE_FACTOR = 1.3
_MOST_NODES = 3


class PracticeServersDialog(QDialog):
    """Not modal. ``start_requested`` carries the name of a ``LabChoice``, who promotes a standby, and whether the
    server keeps running.

    ``action_requested`` carries an action's name, a server's number or ``None``, and an amount or ``None``.
    ``watched_changed`` says whether the dialog is visible.
    """

    start_requested = Signal(str, str, bool)
    stop_requested = Signal()
    keep_running_changed = Signal(bool)
    action_requested = Signal(str, object, object)
    log_chosen = Signal(int)
    watched_changed = Signal(bool)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = LabView()
        self._is_busy = False
        self.question: QMessageBox | None = None
        self.setWindowTitle("Practice servers")
        self.setModal(False)
        self.headline = QLabel("Looking at the embedded server …", self)
        self.headline.setFont(scaled(self.font(), _HEADLINE_FACTOR, bold=True))
        self.facts = QLabel(self)
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts.setWordWrap(True)
        self.model = TextModel(self)
        self.table = TableView("Practice servers", self)
        self.table.setModel(self.model)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.form = Form(look, self)
        self.shape, self.failover = choice_field(self), choice_field(self)
        for choice in LAB_CHOICES:
            self.shape.addItem(choice.title, choice.name)
        for mode, title in FAILOVER_TITLES.items():
            self.failover.addItem(title, mode)
        self.form.add("shape", "Servers", self.shape, bound=False, mnemonic="e")
        self.form.add("failover", "Failover", self.failover, bound=False, mnemonic="f")
        self.start, self.stop = QPushButton("&Start", self), QPushButton("S&top…", self)
        self.keep = QCheckBox("&Keep running when no program uses it", self)
        self.note = FormNote(look, self)
        self.action_panel = ActionPanel(look, self)
        self.log = LogView(self)
        self._lay_out()
        self._connect()
        self.show_view(self._view)

    def show_view(self, view: LabView) -> None:
        """Show the present state; the choices follow it until the user changes them."""
        before, self._view = self._view, view
        self.headline.setText(view.headline or "Looking at the embedded server …")
        self.facts.setText("\n".join(f"{title}: {text}" for title, text in view.facts))
        self.model.show_texts(Texts(NODE_TITLES, view.nodes, words=NODE_WORDS))
        nodes = max(len(view.nodes), 1)
        self.action_panel.offer(nodes)
        self.log.offer(nodes)
        if (view.is_running, view.shape, view.failover) != (before.is_running, before.shape, before.failover):
            self.shape.setCurrentIndex(self.shape.findData(view.shape))
            self.failover.setCurrentIndex(self.failover.findData(view.failover))
        if view.is_running:
            self.keep.setChecked(view.is_kept)
        self._show_what_can_be_done()

    def show_busy(self, doing: str) -> None:
        """An action is in progress."""
        self._is_busy = True
        self.note.show_busy(doing)
        self._show_what_can_be_done()

    def show_result(self, sentence: str, *, ok: bool) -> None:
        """Show an action's result."""
        self._is_busy = False
        (self.note.show_good if ok else self.note.show_wrong)(sentence)
        self._show_what_can_be_done()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.watched_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.watched_changed.emit(False)

    def _lay_out(self) -> None:
        height = self.table.verticalHeader().defaultSectionSize() * (_MOST_NODES + 1)
        self.table.setFixedHeight(height + 2 * self.table.frameWidth())
        running = QGroupBox("Start and stop", self)
        buttons = QHBoxLayout()
        for widget in (self.start, self.stop, self.keep):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        column = QVBoxLayout(running)
        column.addWidget(self.form)
        column.addLayout(buttons)
        column.addStretch(1)
        both = QHBoxLayout()
        both.addWidget(running, 3)
        both.addWidget(self.action_panel, 2)
        closing = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        closing.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.headline)
        layout.addWidget(self.facts)
        layout.addWidget(self.table)
        layout.addLayout(both)
        layout.addWidget(self.note)
        layout.addWidget(self.log, 1)
        layout.addWidget(closing)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)  # Enter in a field must not start the server
        resize_to_text(self, _COLUMNS, _LINES)

    def _connect(self) -> None:
        for box in (self.shape, self.failover):
            box.activated.connect(self._show_what_can_be_done)
        self.start.clicked.connect(self._on_start)
        self.stop.clicked.connect(self._on_stop)
        self.keep.clicked.connect(self._on_keep)
        self.action_panel.action_requested.connect(self._on_do)
        self.log.log_chosen.connect(self.log_chosen)

    def _show_what_can_be_done(self) -> None:
        view, choice = self._view, lab_choice(self.shape.currentData())
        has_failover = choice.nodes > 1
        is_other = self.shape.currentData() != view.shape or (
            has_failover and self.failover.currentData() != view.failover
        )
        self.form.rows["shape"].set_help(choice.says)
        self.form.rows["failover"].set_help(FAILOVER_HELP[self.failover.currentData()])
        self.form.rows["failover"].set_visible(has_failover)
        self.start.setText("&Start" if not view.is_running else "Change to &this")
        self.start.setEnabled(not self._is_busy and (is_other or not view.is_running))
        self.stop.setEnabled(not self._is_busy and view.is_running)
        self.keep.setEnabled(not self._is_busy)
        self.action_panel.setEnabled(not self._is_busy and bool(view.nodes))

    def _on_start(self) -> None:
        self.start_requested.emit(self.shape.currentData(), self.failover.currentData(), self.keep.isChecked())

    def _on_stop(self) -> None:
        self._ask(
            "Stop the embedded server?",
            "Its data are kept; the next start finds them.",
            "Stop",
            self.stop_requested.emit,
        )

    def _on_keep(self) -> None:
        if self._view.is_running:
            self.keep_running_changed.emit(self.keep.isChecked())

    def _on_do(self, action: str, node: int | None, value: float | None) -> None:
        choice = self.action_panel.choice
        if choice is None:
            return
        amount = "" if value is None else f" ({choice.value}: {value:g})"
        where = "" if node is None else f" On node{node}."
        title = f"{choice.title}?"
        self._ask(
            title,
            f"{choice.sentence}{amount}{where}",
            choice.title,
            lambda: self.action_requested.emit(action, node, value),
        )

    def _ask(self, title: str, more: str, yes: str, then: Callable[[], None]) -> None:
        """Ask before an action that users of the server notice."""
        question = QMessageBox(self)
        question.setIcon(QMessageBox.Icon.Question)
        question.setWindowTitle(title.removesuffix("?"))
        question.setText(title)
        users = f" {counted(self._view.users, 'user')} connected." if self._view.users else ""
        question.setInformativeText(f"{more}{users}")
        accept = question.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
        question.setDefaultButton(question.addButton(QMessageBox.StandardButton.Cancel))
        accept.clicked.connect(then)
        question.finished.connect(question.deleteLater)
        self.question = question
        question.open()
