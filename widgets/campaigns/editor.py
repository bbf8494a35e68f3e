"""Where a campaign is written: its TOML on the left, on the right what it says, or the first thing wrong in it."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.campaign.arming import campaign_names_to_type
from engine.campaign.fields import field_of
from engine.campaign.plan import CampaignPlan
from engine.campaign.steps import SearchStep, Step, SweepStep
from engine.figure_text import capitalised
from resources import read_text
from widgets.parts.fonts import fixed_width
from widgets.parts.form.note import FormNote
from widgets.parts.form.typed_names import TypedNames
from widgets.parts.look import Look

TEMPLATES = (
    ("Published cycle: reset, wait, idle, run, three times", "published-cycle"),
    ("User steps: Brokerage by 10 users every 2 minutes, two servers", "user-steps"),
    ("Sweep over stores and think times", "sweep"),
    ("Search for the number of users", "search"),
    ("Search for the number of pairs: DVD Store and mail, as published", "pairs"),
)
_INDENT = " " * 6
_CHECK_AFTER_MS = 300
_SHARES = (620, 420)


class CampaignEditor(QWidget):
    """The text is read by whoever handles ``changed``, and answered with ``show_plan`` or ``show_problem``.

    ``start_requested`` carries the plan as it was read last, ``servers_check_requested`` too. Buttons are enabled only
    while the text is a valid campaign; a campaign that can hurt is started after the names of what it can hurt are
    typed.
    """

    changed = Signal(str)
    open_requested = Signal()
    save_requested = Signal(str)
    servers_check_requested = Signal(object)
    start_requested = Signal(object)
    back_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plan: CampaignPlan | None = None
        self.back_button = QPushButton("← Campaigns", self)
        self.templates = QComboBox(self)
        self.open_button = QPushButton("Open file…", self)
        self.save_button = QPushButton("Save as…", self)
        self.check_button = QPushButton("Check servers", self)
        self.start_button = QPushButton("Start", self)
        self.text = QPlainTextEdit(self)
        self.steps = QListWidget(self)
        self.note = FormNote(look, self)
        self.names = TypedNames(look, self)
        self._timer = QTimer(self, singleShot=True, interval=_CHECK_AFTER_MS)
        self._build()
        self._connect()

    def put(self, text: str) -> None:
        """Replace the text; it can be undone with Ctrl+Z."""
        self.text.selectAll()
        self.text.insertPlainText(text)
        self.text.moveCursor(self.text.textCursor().MoveOperation.Start)

    def put_template(self, name: str) -> None:
        """Replace the text by one of the templates."""
        self.put(read_text("campaigns", f"{name}.toml"))

    def show_plan(self, text: str, plan: CampaignPlan) -> None:
        """The ``text`` is this campaign; ignored when it was changed meanwhile."""
        if text != self.text.toPlainText():
            return
        self.plan = plan
        self.steps.setEnabled(True)
        self.steps.clear()
        self.steps.addItems(list(_lines(plan)))
        self.note.show_good(f"{plan.name}: {plan.size}.")
        self.names.show_names(campaign_names_to_type(plan))
        self._enable()

    def show_problem(self, text: str, sentence: str) -> None:
        """The ``text`` can't be read as a campaign, for this reason."""
        if text == self.text.toPlainText():
            self.plan = None
            self.steps.setEnabled(False)  # they are those of the text before
            self.note.show_wrong(capitalised(sentence))
            self.names.show_names(())
            self._enable()

    def show_doing(self, sentence: str) -> None:
        """The servers are being looked at."""
        self.note.show_help(sentence)

    def show_result(self, sentence: str, *, ok: bool) -> None:
        """What looking at the servers came to."""
        if ok:
            self.note.show_good(sentence)
        else:
            self.note.show_wrong(capitalised(sentence))

    def _build(self) -> None:
        self.text.setAccessibleName("Campaign in TOML")
        self.text.setFont(fixed_width(self.font()))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.steps.setAccessibleName("Steps of the campaign")
        self.steps.setWordWrap(True)
        self.steps.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.templates.setAccessibleName("Template")
        self.templates.addItem("Begin with a template…", "")
        for title, name in TEMPLATES:
            self.templates.addItem(title, name)
        head = QHBoxLayout()
        head.addWidget(self.back_button)
        head.addWidget(self.templates)
        head.addStretch(1)
        for button in (self.open_button, self.save_button):
            head.addWidget(button)
        beside = QWidget(self)
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(QLabel("What it does", beside))
        column.addWidget(self.steps, 1)
        column.addWidget(self.names)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        for widget, share in zip((self.text, beside), _SHARES, strict=True):
            splitter.addWidget(widget)
            splitter.setStretchFactor(splitter.count() - 1, share)
        splitter.setSizes(list(_SHARES))
        splitter.setChildrenCollapsible(False)
        foot = QHBoxLayout()
        foot.addWidget(self.note, 1, Qt.AlignmentFlag.AlignVCenter)
        for button in (self.check_button, self.start_button):
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addWidget(splitter, 1)
        layout.addLayout(foot)
        self._enable()

    def _connect(self) -> None:
        self.text.textChanged.connect(self._on_text)
        self._timer.timeout.connect(lambda: self.changed.emit(self.text.toPlainText()))
        self.templates.activated.connect(self._on_template)
        self.back_button.clicked.connect(self.back_requested)
        self.open_button.clicked.connect(self.open_requested)
        self.save_button.clicked.connect(lambda: self.save_requested.emit(self.text.toPlainText()))
        self.check_button.clicked.connect(lambda: self.servers_check_requested.emit(self.plan))
        self.start_button.clicked.connect(lambda: self.start_requested.emit(self.plan))
        self.names.changed.connect(self._enable)

    def _on_text(self) -> None:
        self.plan = None
        self._enable()
        self._timer.start()

    def _on_template(self) -> None:
        name = self.templates.currentData()
        with QSignalBlocker(self.templates):
            self.templates.setCurrentIndex(0)
        if name:
            self.put_template(name)

    def _enable(self) -> None:
        self.check_button.setEnabled(self.plan is not None)
        self.start_button.setEnabled(self.plan is not None and self.names.is_complete)
        self.save_button.setEnabled(bool(self.text.toPlainText().strip()))


def _lines(plan: CampaignPlan) -> Iterator[str]:
    for number, step in enumerate(plan.steps, start=1):
        times = _times(step) if isinstance(step, SweepStep | SearchStep) else ""
        yield f"{number}. {step.sentence}{times}"
        if isinstance(step, SweepStep):
            for name, values in step.over.items():
                field = field_of(plan.plan, name)
                yield f"{_INDENT}{field.titled}: {', '.join(map(field.write, values))}"
        for inner in getattr(step, "steps", ()):
            yield f"{_INDENT}{inner.sentence}{_times(inner)}"


def _times(step: Step) -> str:
    repeat = getattr(step, "repeat", 1)
    return f", {repeat} times" if repeat > 1 else ""
