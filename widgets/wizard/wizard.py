"""New run: the list of pages on the left, a page in the middle, the plan in sentences on the right.

It edits one draft, and emits requests. The application handles them and hands back the results.
"""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.draft.draft_history import DraftHistory, changed_paths
from engine.draft.plan_draft import PlanDraft
from engine.draft.wording import plan_sentences
from engine.machines.inventory import Inventory
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.connection_result import ConnectionResult
from engine.target.target import Target
from widgets.parts.look import Look
from widgets.wizard.database_page import DatabasePage
from widgets.wizard.enter_key import EnterKey
from widgets.wizard.faults_page import FaultsPage
from widgets.wizard.footer import WizardFooter
from widgets.wizard.load_page import LoadPage
from widgets.wizard.page import WizardPage, scrolling
from widgets.wizard.page_list import PageList, PageState
from widgets.wizard.review_page import ReviewPage, error_sentences
from widgets.wizard.sentences import Sentences
from widgets.wizard.targets_page import TargetsPage
from widgets.wizard.undo_keys import UndoKeys
from widgets.wizard.unknown_machines import unknown_machines

_PAGES: tuple[type[WizardPage], ...] = (TargetsPage, DatabasePage, LoadPage, FaultsPage, ReviewPage)
_SUMMARY_CHARACTERS = 34
_WIDTH_FOR_SUMMARY_CHARACTERS = 130


class Wizard(QWidget):
    """The five pages. Enter goes to the next page, and starts from the last one.

    ``start_requested`` carries the plan and the typed passwords, by secret name. The draft is edited in place, which
    emits ``draft_changed``. Requests of a single page are signals of that page, or of ``footer``.
    """

    start_requested = Signal(RunPlan, dict)
    test_requested = Signal(int, Target, str)
    machines_requested = Signal()
    draft_changed = Signal()

    def __init__(self, look: Look, draft: PlanDraft, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._draft = draft
        self._inventory: Inventory | None = None
        self._errors: dict[str, str] = {}
        self._wrong: dict[str, str] = {}
        self._seen = {0}
        self._tried: set[str] = set()
        self.page_list = PageList(look, [page.title for page in _PAGES], self)
        self.targets = TargetsPage(look, self)
        self.database = DatabasePage(look, self)
        self.load = LoadPage(look, self)
        self.faults = FaultsPage(look, self)
        self.review = ReviewPage(look, self)
        self.pages: tuple[WizardPage, ...] = (self.targets, self.database, self.load, self.faults, self.review)
        self.stack = QStackedWidget(self)
        for page in self.pages:  # created before the buttons: Tab goes from the list to the page to the buttons
            self.stack.addWidget(scrolling(page, page.title))
        self.summary = Sentences(look, "This run", self)
        self.footer = WizardFooter(look, self)
        self.back, self.next, self.start = self.footer.back, self.footer.next, self.footer.start
        self._history = DraftHistory(draft)
        self._undo_keys = UndoKeys(self, self.undo, self.redo)
        self._enter = EnterKey(self, self._way_on)
        self._enter.pressed.connect(self._on_enter)
        self._lay_out()
        self._connect()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)
        self._load_draft()
        self.page_list.setCurrentRow(0)  # which checks the draft

    @property
    def draft(self) -> PlanDraft:
        """The draft, to be stored; it contains no password."""
        return self._draft

    @property
    def current_page(self) -> int:
        """The index of the page that is shown, from 0."""
        return self.stack.currentIndex()

    def secrets(self) -> dict[str, Secret]:
        """The typed passwords, by secret name."""
        return self.targets.secrets() | self.load.further.secrets() | self.faults.secrets()

    def fill(self, plan: RunPlan) -> None:
        """Take the fields from a plan file or a past run, and begin at the first page."""
        draft = PlanDraft.from_plan(plan, reset=self._draft.reset, audit=self._draft.audit)
        draft.layout = self._draft.layout
        self.put(draft)

    def put(self, draft: PlanDraft) -> None:
        """Edit this draft from now on, beginning at the first page."""
        self._draft = draft
        self._history.record(draft)
        self._seen = {0}
        self._tried = set()
        self._show_draft()
        self.page_list.setCurrentRow(0)
        self.draft_changed.emit()

    def undo(self) -> None:
        """Undo the latest edit of the draft."""
        self._show_step(self._history.undo())

    def redo(self) -> None:
        """Redo the edit that was undone last."""
        self._show_step(self._history.redo())

    def show_test(self, question: int, result: ConnectionResult) -> None:
        """The result of the connection test with this number."""
        self.targets.show_test(question, result)
        self.load.further.test.show_result(question, result)

    def know_machines(self, inventory: Inventory) -> None:
        """Refuse plans that name other machines than these from now on."""
        if inventory != self._inventory:
            self._inventory = inventory
            self._check()

    def focus_first(self) -> None:
        """Move the focus to the first control of the page that is shown."""
        is_last = self.current_page == len(self.pages) - 1
        first = self.start if is_last else self.pages[self.current_page].first_control()
        (self.review.names.first_open() or first if is_last else first).setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._show_summary()

    def _show_summary(self) -> None:
        """Beside the pages that have room for it; the review itself contains it."""
        is_wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDTH_FOR_SUMMARY_CHARACTERS
        self._side.setVisible(is_wide and self.current_page != len(self.pages) - 1)

    def _lay_out(self) -> None:
        side = scrolling(self.summary, "Summary of the run")
        side.setFixedWidth(self.fontMetrics().averageCharWidth() * _SUMMARY_CHARACTERS)
        self._side = side
        middle = QHBoxLayout()
        middle.addWidget(self.page_list)
        middle.addWidget(self.stack, 1)
        middle.addWidget(side)
        layout = QVBoxLayout(self)
        layout.addLayout(middle, 1)
        layout.addWidget(self.footer)

    def _connect(self) -> None:
        for number, page in enumerate(self.pages):
            page.edited.connect(self._on_edited)
            page.validation_requested.connect(partial(self._on_validation_requested, number))
        self.database.workload_chosen.connect(self._on_workload_chosen)
        self.load.presets_changed.connect(self.draft_changed)
        self.load.load_chosen.connect(self._show_draft)
        self.load.loads_changed.connect(self._on_workload_chosen)
        self.targets.saved_changed.connect(self.draft_changed)
        self.review.names.changed.connect(self._show_startable)
        self.page_list.page_chosen.connect(self._show_page)
        self.back.clicked.connect(self._go_back)
        self.next.clicked.connect(self._go_on)
        self.start.clicked.connect(self._start)
        self.footer.undo.clicked.connect(self.undo)
        self.footer.redo.clicked.connect(self.redo)
        self.targets.test_requested.connect(self.test_requested)
        self.load.test_requested.connect(self.test_requested)
        self.database.field_requested.connect(self._go_to_field)
        for page in (self.targets, self.load, self.review):
            page.machines_requested.connect(self.machines_requested)

    def _on_validation_requested(self, number: int) -> None:
        self._tried |= self.pages[number].own(self._errors).keys()
        self._check()

    def _show_step(self, draft: PlanDraft | None) -> None:
        """Show a draft of the history, and the page on which it differs from the present one."""
        if draft is None:
            return
        changed, self._draft = changed_paths(self._draft, draft), draft
        self._show_draft()
        pages = {number for path in changed for number, page in enumerate(self.pages) if page.own({path: ""})}
        if pages and self.current_page not in pages:
            self.page_list.setCurrentRow(min(pages))
        self.draft_changed.emit()

    def _on_edited(self) -> None:
        self._history.record(self._draft)
        self._show_steps()
        self._check()
        self.draft_changed.emit()

    def _on_workload_chosen(self) -> None:
        self._show_draft()
        self._on_edited()

    def _show_draft(self) -> None:
        self._load_draft()
        self._check()

    def _load_draft(self) -> None:
        for number, page in enumerate(self.pages):
            page.load(self._draft)
            area = self.stack.widget(number)
            assert area is not None
            area.setAccessibleName(page.heading.text())
            self.page_list.show_title(number, page.heading.text())
        # The text of a typed fault is not the draft's yet; some of the other lines were made for this draft.
        lines = self.findChildren(QLineEdit)
        self._undo_keys.watch(line for line in lines if line is not self.faults.typed.line)
        self._show_steps()

    def _show_steps(self) -> None:
        self.footer.show_steps(can_undo=self._history.can_undo, can_redo=self._history.can_redo)

    def _check(self) -> None:
        """Validate the draft, and show the result on every page, in the list and in the summary."""
        self._errors = self._draft.validate()
        if self._inventory is not None:
            self._errors |= unknown_machines(self._draft, self._inventory)
        self._wrong = {path: text for path, text in self._errors.items() if not self._is_awaited(path)}
        for page in self.pages:
            page.show_errors(self._errors if page is self.review else self._wrong)
        self._show_states()
        self._show_startable()
        if self._errors:
            awaited = {path: text for path, text in self._errors.items() if path not in self._wrong}
            self.summary.show_wrong(error_sentences(self._wrong), error_sentences(awaited))
        else:
            self.summary.show_plain(plan_sentences(self._draft.plan()), self._draft.warnings())

    def _is_awaited(self, path: str) -> bool:
        """Whether a field is empty, and since it is there, its page was neither left nor asked for what needs it."""
        return path not in self._tried and self._draft.is_missing(path)

    def _page_of(self, path: str) -> int:
        return next(number for number, page in enumerate(self.pages) if page.own({path: ""}))

    def _show_states(self) -> None:
        for number, page in enumerate(self.pages):
            if page.own(self._wrong):
                self.page_list.show_state(number, PageState.WRONG)
            elif page.own(self._errors):
                self.page_list.show_state(number, PageState.INCOMPLETE)
            else:
                self.page_list.show_state(number, PageState.READY if number in self._seen else PageState.OPEN)

    def _show_startable(self) -> None:
        """On its own page, Start is disabled while a name has to be typed there; on other pages it goes there."""
        is_last = self.current_page == len(self.pages) - 1
        self.start.setEnabled(not is_last or self.review.names.is_complete)

    def _show_page(self, number: int) -> None:
        if number != self.current_page:
            self._tried |= self.pages[self.current_page].own(self._errors).keys()
        self.stack.setCurrentIndex(number)
        self._seen.add(number)
        is_last = number == len(self.pages) - 1
        self._show_summary()
        self.back.setEnabled(number > 0)
        self.next.setEnabled(not is_last)
        self._enter.show_default()
        self._check()

    def _way_on(self) -> QPushButton:
        return self.start if self.current_page == len(self.pages) - 1 else self.next

    def _go_back(self) -> None:
        self._go_to(self.current_page - 1)

    def _go_on(self) -> None:
        self._go_to(self.current_page + 1)

    def _go_to(self, number: int) -> None:
        self.page_list.setCurrentRow(number)
        self.focus_first()

    def _go_to_field(self, path: str) -> None:
        """Go to the field of an error."""
        number = self._page_of(path)
        self.page_list.setCurrentRow(number)
        self._on_validation_requested(number)
        self.pages[number].focus_field(path)

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        self._history.end_step()
        if now is not None and self.isAncestorOf(now):
            self._enter.show_default()

    def _on_enter(self) -> None:
        if self.current_page == len(self.pages) - 1:
            self._start()
        else:
            self._go_on()

    def _start(self) -> None:
        """Start, or go to the first invalid field, or to the first name that has to be typed."""
        for path in self._errors:
            self._go_to_field(path)
            return
        missing = self.review.names.first_open()
        if missing is not None:
            self.page_list.setCurrentRow(len(self.pages) - 1)
            missing.setFocus()
            return
        self.start_requested.emit(self._draft.plan(), self.secrets())
