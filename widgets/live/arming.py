"""Arms an injection into the running run: its effect in sentences, names to type, countdown.

Called by the live page. Nothing is injected here: ``injection_requested`` asks for it.
"""

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from engine.draft.injection_choices import lab_nodes, offered_kinds
from engine.draft.injection_draft import InjectionDraft
from engine.errors import BadInput
from engine.faults.fitting import check_fits
from engine.faults.planned import PlannedFault
from engine.faults.sentences import can_hurt, names_to_type, what_sentence
from engine.figure_text import capitalised
from engine.secrets import Secret
from engine.target.target import Target
from widgets.live.countdown import Countdown
from widgets.live.inject_menu import COUNTDOWN_SECONDS
from widgets.parts.fonts import scaled
from widgets.parts.form.injection_form import InjectionForm
from widgets.parts.form.note import FormNote
from widgets.parts.form.typed_names import TypedNames
from widgets.parts.icons import set_icon
from widgets.parts.look import Look

_MARK, _TEXT = "mark", "text"
_TITLE_FACTOR = 1.15
_LEAST_FORM_ROWS, _FORM_ROWS = 6, 8
_LETTERS_FOR_TWO_COLUMNS = 170
_LEAST_SHARE = 0.25  # of the screen, where that is less than the least rows


class ArmingPanel(QFrame):
    """Hidden while nothing is to be injected. Escape closes it at any time before the injection.

    ``injection_requested`` carries the fault, the delay in seconds (0: now), and the typed passwords by secret name.
    ``abort_requested`` ends a countdown; ``left``: the panel was closed without an injection.
    """

    injection_requested = Signal(object, int, dict)
    abort_requested = Signal()
    left = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draft = InjectionDraft()
        self._stores: tuple[Target, ...] = ()
        self._came_from: QWidget | None = None
        self.title = QLabel("Inject", self)
        self.sentence = FormNote(look, self)
        self.form = InjectionForm(look, is_planned=False, parent=self)
        self.names = TypedNames(look, self)
        self.now = QPushButton("Inject now", self)
        set_icon(self.now, "inject", look)
        self.later = QPushButton(f"Inject in {COUNTDOWN_SECONDS} s", self)
        self.cancel = QPushButton("Cancel  Esc", self)
        self.countdown = Countdown(look, self)
        self._scroll = QScrollArea(self)
        self._choosing = QWidget(self)
        self._lay_out()
        self._connect()
        self.hide()

    def show_stores(self, stores: tuple[Target, ...]) -> None:
        """The stores of the run, which decide what can be injected and what it can hurt."""
        self._stores = stores
        kinds = [kind.name for kind in offered_kinds(stores) if kind.name not in (_MARK, _TEXT)]
        self.form.offer(lab_nodes(stores), kinds)

    def ask(self, draft: InjectionDraft) -> None:
        """Show what this injection would do, and how to confirm it; a previous one is dropped."""
        if not self.isHidden():
            self.left.emit()
        if not self.isVisible():
            self._came_from = self.window().focusWidget()
        self._draft = replace(draft)
        self.names.show_names(())  # what was typed for an earlier injection confirms no other
        self.form.load(self._draft)
        self.show_busy(False)
        self._show_counting(False)
        self.show()
        self._check()
        (self.now if self.now.isEnabled() else self._first_open()).setFocus()

    def count_down(self, what: str, seconds: int) -> None:
        """It is armed: count down to it."""
        if not self.isVisible():
            self._came_from = self.window().focusWidget()
        self._show_counting(True)
        self.show()
        self.countdown.begin(what, seconds)

    def show_busy(self, busy: bool, doing: str = "") -> None:
        """The injection is being checked: nothing can be edited until that is done."""
        for widget in (self.form, self.names, self.now, self.later):
            widget.setEnabled(not busy)
        if busy:
            self.sentence.show_busy(doing)

    def show_wrong(self, sentence: str) -> None:
        """The injection is not possible; the fields can be corrected."""
        self.show_busy(False)
        self._check()
        self.sentence.show_wrong(capitalised(sentence))
        self.form.focus_field("")

    def close_panel(self) -> None:
        """The injection was done, or will not be."""
        self.hide()
        if self._came_from is not None:
            self._came_from.setFocus()
        self._came_from = None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        letters = self.width() // self.fontMetrics().averageCharWidth()
        has_room = letters >= _LETTERS_FOR_TWO_COLUMNS
        self.form.set_two_columns(has_room=has_room)
        for place, share in ((0, 3 if has_room else 2), (2, 2)):
            self._sides.setStretch(place, share)
        self._fit_form()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self._on_cancel()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.title.setFont(scaled(self.font(), _TITLE_FACTOR, bold=True))
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self.form)
        self._scroll.setMaximumHeight(_FORM_ROWS * 2 * self.fontMetrics().height())
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for widget in (self.title, self.sentence, self.names):
            widget.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        for button in (self.now, self.later, self.cancel, self.countdown.abort):
            button.setAutoDefault(True)
        buttons = QHBoxLayout()
        for button in (self.now, self.later, self.cancel):
            buttons.addWidget(button)
        buttons.addStretch(1)
        right = QVBoxLayout()
        right.addWidget(self.title)
        right.addWidget(self.sentence)
        right.addWidget(self.names)
        right.addStretch(1)
        right.addLayout(buttons)
        self._sides = choosing = QHBoxLayout(self._choosing)
        choosing.setContentsMargins(0, 0, 0, 0)
        choosing.addWidget(self._scroll, 1)
        choosing.addSpacing(2 * self.fontMetrics().height())  # the layouts on the right would inherit a wider spacing
        choosing.addLayout(right, 1)
        layout = QVBoxLayout(self)
        for page in (self._choosing, self.countdown):
            layout.addWidget(page)
        self._show_counting(False)

    def _show_counting(self, counting: bool) -> None:
        self._choosing.setVisible(not counting)
        self.countdown.setVisible(counting)

    def _connect(self) -> None:
        self.form.edited.connect(self._check)
        self.names.changed.connect(self._show_armed)
        self.now.clicked.connect(self._on_now)
        self.later.clicked.connect(self._on_later)
        self.cancel.clicked.connect(self._on_cancel)
        self.countdown.abort_requested.connect(self.abort_requested)

    def _fault(self) -> PlannedFault:
        fault = self._draft.fault()
        check_fits(fault, self._stores)
        return fault

    def _check(self) -> None:
        """Show what the fields mean, or what is wrong with them."""
        errors: Mapping[str, str] = self._draft.validate()
        self.form.show_errors(errors)
        self._fit_form()
        try:
            fault = self._fault()
        except BadInput as error:
            self.title.setText("Inject")
            self.names.show_names(())
            self.sentence.show_wrong(capitalised(next(iter(errors.values()), str(error))))
            for button in (self.now, self.later):
                button.setEnabled(False)
            return
        self.title.setText(f"Inject: {fault.label}")
        self.sentence.show_plain(what_sentence(fault))
        self.names.show_names(names_to_type([fault], self._stores) if can_hurt(fault) else ())
        self._show_armed()

    def _fit_form(self) -> None:
        share = round(_LEAST_SHARE * self.screen().availableSize().height())
        least = min(_LEAST_FORM_ROWS * 2 * self.fontMetrics().height(), share)
        self._scroll.setMinimumHeight(min(least, self.form.form.sizeHint().height()))

    def _show_armed(self) -> None:
        for button in (self.now, self.later):
            button.setEnabled(self.names.is_complete)

    def _first_open(self) -> QWidget:
        errors = self._draft.validate()
        if errors:
            return self.form.form.rows[next(iter(errors))].field
        return self.names.first_open() or self.cancel

    def _on_now(self) -> None:
        self._request(0)

    def _on_later(self) -> None:
        self._request(COUNTDOWN_SECONDS)

    def _request(self, seconds: int) -> None:
        secrets: dict[str, Secret] = self.form.secrets()
        self.injection_requested.emit(self._fault(), seconds, secrets)

    def _on_cancel(self) -> None:
        self.close_panel()
        self.left.emit()
