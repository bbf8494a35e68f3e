"""The library: every stored run in a table with search and filters, and a preview of the current one below.

Called by the window, which fills it with ``show_runs`` and handles its signals.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QByteArray, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.run_data import RunData
from engine.report.export_kind import ExportKind
from engine.report.run_filter import RunFilter
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from widgets.library.empty_library import EmptyLibrary, NoMatch
from widgets.library.export_button import ExportButton
from widgets.library.filter_bar import FilterBar
from widgets.library.library_actions import LibraryActions, RunAction, selection_text
from widgets.library.note_dialog import NoteDialog
from widgets.library.run_preview import RunPreview
from widgets.library.run_table import RunTable
from widgets.library.set_button import SetButton
from widgets.library.tag_dialog import TagDialog
from widgets.parts.elided_label import ElidedLabel
from widgets.parts.fonts import text_width
from widgets.parts.look import Look

_PREVIEW_AFTER_MS = 150
_SHARES = (3_000, 2_000)
_WIDEST_COUNTS = f"{selection_text(1, 888, 8_888)}000"
_ON_BUTTONS = (RunAction.OPEN, RunAction.COMPARE, RunAction.RENAME, RunAction.TAG, RunAction.NOTE, RunAction.DUPLICATE)


class LibraryPage(QWidget):
    """Signals carry the runs' ids; ``export_requested`` a list of them and an ``ExportKind``, ``report_requested`` the
    listings of the selected runs and of all sets."""

    open_requested = Signal(str)
    compare_requested = Signal(list)
    rename_requested = Signal(str, str)
    note_requested = Signal(str, str)
    tags_requested = Signal(list, list, list)
    duplicate_requested = Signal(str)
    export_requested = Signal(list, object)
    report_requested = Signal(list, list)
    import_requested = Signal()
    delete_requested = Signal(list)
    preview_requested = Signal(str)
    bin_requested = Signal()
    demo_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: dict[str, RunListing] = {}
        self._sets: Sequence[SetListing] = ()
        self._waiting: tuple[Sequence[RunListing], Sequence[SetListing], int] | None = None
        self._more_in_menu: tuple[QAction, ...] = ()
        self.filters = FilterBar(self)
        self.table = RunTable(look, self)
        self.preview = RunPreview(look, self)
        self.empty = EmptyLibrary(self)
        self.no_match = NoMatch(self)
        self.sets = SetButton(look, self)
        self.export_button = ExportButton(self)
        self.actions_of = LibraryActions(self)
        self._counts = ElidedLabel(parent=self)
        self.bin_button = QToolButton(self)
        self._buttons = QHBoxLayout()
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._lists = QStackedWidget(self)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._reading = QLabel("Reading the library …", self)
        self._pages = QStackedWidget(self)
        self._preview_timer = QTimer(self, singleShot=True, interval=_PREVIEW_AFTER_MS)
        self._is_awaited = False
        self._build()
        self._connect()
        self._show_selection()

    def show_runs(self, runs: Sequence[RunListing], sets: Sequence[SetListing] = (), *, deleted: int = 0) -> None:
        """Show these runs, their sets, and the number of deleted runs; selection and scroll position are kept.

        While a name or a note is being edited, the new list waits for its end.
        """
        if self.table.is_editing:
            self._waiting = runs, sets, deleted
            return
        self._waiting = None
        first_selected = min(self.table.selected_rows(), default=0)
        self._runs, self._sets = {run.run_id: run for run in runs}, sets
        self.table.show_runs(runs)
        self.filters.show_choices(runs)
        self._show_deleted(deleted)
        self._pages.setCurrentWidget(self._splitter if runs else self.empty)
        if runs and not self.table.selected_ids():
            self.table.select_row(first_selected)  # the run that takes the place of a deleted one
        self._show_selection()
        self._show_preview()
        if self._is_awaited and self.isVisible():
            self.take_focus()

    def take_focus(self) -> None:
        """Move the focus to the list of runs, or to where it will be once it is read."""
        self._is_awaited = self._pages.currentWidget() is self._reading
        if self._pages.currentWidget() is self.empty:
            self.empty.demo_button.setFocus()
        else:
            (self.table if self._lists.currentWidget() is self.table else self.no_match.clear_button).setFocus()

    def show_preview(self, run_id: str, run: RunData | None) -> None:
        """Fill the requested preview; ``None`` when the run can't be read."""
        if run_id == self.preview.run_id:
            self.preview.show_run(run)

    def add_to_menu(self, actions: Iterable[QAction]) -> None:
        """Add these actions to the context menu."""
        self._more_in_menu += tuple(actions)

    def select_runs(self, run_ids: Sequence[str]) -> None:
        """Select these runs, such as those just imported or restored."""
        self.table.select_runs(run_ids)

    def show_campaign(self, name: str) -> None:
        """Show the runs of a campaign alone, in their order, so that those of a set stand together."""
        self.filters.show_campaign(name)
        self.table.show_in_turn()

    def save_layout(self) -> dict[str, bytes]:
        """Columns and splitter, for ``restore_layout``."""
        return {"runs": self.table.save_columns(), "splitter": bytes(self._splitter.saveState().data())}

    def restore_layout(self, saved: Mapping[str, bytes]) -> None:
        self.table.restore_columns(saved.get("runs", b""))
        self._splitter.restoreState(QByteArray(saved.get("splitter", b"")))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In a narrow window the counts move to a line below the buttons."""
        super().resizeEvent(event)
        needed = self._buttons.sizeHint().width() + text_width(self._counts.font(), _WIDEST_COUNTS)
        directions = QBoxLayout.Direction
        is_wide = self.contentsRect().width() > needed
        self._foot.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)

    def _build(self) -> None:
        buttons = self._buttons
        in_order: list[QWidget] = [
            *(self._button(self.actions_of[do]) for do in _ON_BUTTONS),
            self.sets,
            self.export_button,
            *(self._button(self.actions_of[do]) for do in (RunAction.REPORT, RunAction.IMPORT, RunAction.DELETE)),
        ]
        for button in in_order:
            buttons.addWidget(button)
        buttons.addStretch()
        self._foot.addLayout(buttons)
        self._foot.addWidget(self._counts, 1)
        self._counts.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for widget in (self.table, self.no_match):
            self._lists.addWidget(widget)
        listing = QWidget(self)
        column = QVBoxLayout(listing)
        column.setContentsMargins(0, 0, 0, 0)
        above = QHBoxLayout()
        above.addWidget(self.filters, 1)
        above.addWidget(self.bin_button)
        column.addLayout(above)
        column.addWidget(self._lists, 1)
        column.addLayout(self._foot)
        self._splitter.addWidget(listing)
        self._splitter.addWidget(self.preview)
        for place, share in enumerate(_SHARES):
            self._splitter.setStretchFactor(place, share)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setSizes(list(_SHARES))
        self._reading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for page in (self._reading, self.empty, self._splitter):
            self._pages.addWidget(page)
        QVBoxLayout(self).addWidget(self._pages)
        for before, after in pairwise((self.bin_button, self.table, *in_order, self.preview.chart)):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        self.table.open_requested.connect(self.open_requested)
        self.table.rename_requested.connect(self._on_renamed)
        self.table.note_requested.connect(self._on_noted)
        # After the view has handled the event that ended the editing: it holds rows of the old list until then.
        self.table.editing_ended.connect(self._on_editing_ended, Qt.ConnectionType.QueuedConnection)
        self.table.selection_changed.connect(self._show_selection)
        self.table.current_changed.connect(self._show_preview)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._on_context_menu)
        self.filters.filter_changed.connect(self._on_filter_changed)
        self.no_match.clear_requested.connect(self._on_clear)
        self.empty.demo_requested.connect(self.demo_requested)
        self.empty.import_requested.connect(self.import_requested)
        self.empty.bin_requested.connect(self.bin_requested)
        self.bin_button.clicked.connect(self.bin_requested)
        self.bin_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.bin_button.setToolTip("Show the deleted runs, to restore them or remove them for good")
        self._show_deleted(0)
        self.export_button.export_requested.connect(self._on_export)
        self.sets.select_runs_requested.connect(self.select_runs)
        self._preview_timer.timeout.connect(self._on_preview_due)
        for do, slot in (
            (RunAction.OPEN, self._on_open),
            (RunAction.COMPARE, self._on_compare),
            (RunAction.RENAME, self.table.edit_name),
            (RunAction.TAG, self._on_tag),
            (RunAction.NOTE, self._on_note),
            (RunAction.DUPLICATE, self._on_duplicate),
            (RunAction.REPORT, self._on_report),
            (RunAction.IMPORT, self.import_requested),
            (RunAction.DELETE, self._on_delete),
        ):
            self.actions_of[do].triggered.connect(slot)
        find = QAction("Search", self)
        find.setShortcut(QKeySequence.StandardKey.Find)
        find.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.triggered.connect(self.filters.focus_search)
        self.addAction(find)

    def _button(self, action: QAction) -> QToolButton:
        button = QToolButton(self)
        button.setDefaultAction(action)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _show_deleted(self, deleted: int) -> None:
        self.bin_button.setText(f"Deleted runs ({deleted})" if deleted else "Deleted runs")
        self.empty.show_deleted(deleted)

    def _show_selection(self) -> None:
        runs = [self._runs[run_id] for run_id in self.table.selected_ids()]
        selected = len(runs)
        self.actions_of.allow(selected)
        self.sets.show_selection(runs, self._sets)
        self.export_button.setEnabled(selected > 0)
        self._counts.setText(selection_text(selected, self.table.shown, len(self._runs)))
        self._lists.setCurrentWidget(self.table if self.table.shown else self.no_match)

    def _show_preview(self) -> None:
        run = self._runs.get(self.table.previewed_id())
        if run is None or run.run_id != self.preview.run_id:
            self._preview_timer.start()
        self.preview.show_listing(run, self._set_of(run), can_select=self.table.shown > 0)

    def _set_of(self, run: RunListing | None) -> SetListing | None:
        return next((each for each in self._sets if run is not None and each.name == run.run_set), None)

    def _on_preview_due(self) -> None:
        if self.preview.run_id:
            self.preview_requested.emit(self.preview.run_id)

    def _on_renamed(self, run_id: str, name: str) -> None:
        self._put_into_waiting(run_id, lambda run: replace(run, name=name))
        self.rename_requested.emit(run_id, name)

    def _on_noted(self, run_id: str, note: str) -> None:
        self._put_into_waiting(run_id, lambda run: replace(run, note=note))
        self.note_requested.emit(run_id, note)

    def _put_into_waiting(self, run_id: str, edited: Callable[[RunListing], RunListing]) -> None:
        """A waiting list was read before this edit: without it the old text would reappear for a moment."""
        if self._waiting is not None:
            runs, sets, deleted = self._waiting
            self._waiting = [edited(run) if run.run_id == run_id else run for run in runs], sets, deleted

    def _on_editing_ended(self) -> None:
        if self._waiting is not None:
            runs, sets, deleted = self._waiting
            self.show_runs(runs, sets, deleted=deleted)

    def _on_filter_changed(self, run_filter: RunFilter) -> None:
        self.table.set_run_filter(run_filter)
        self._show_selection()
        self._show_preview()

    def _on_clear(self) -> None:
        self.filters.clear()
        self.table.setFocus()

    def _on_context_menu(self, at: QPoint) -> None:
        menu = self.context_menu()
        menu.popup(self.table.viewport().mapToGlobal(at))

    def context_menu(self) -> QMenu:
        """The actions on the selected runs, as on the buttons."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for do in _ON_BUTTONS:
            menu.addAction(self.actions_of[do])
        run_set = menu.addMenu("Run set")
        run_set.addActions(self.sets.choices.actions())
        run_set.setEnabled(self.sets.isEnabled())
        export = menu.addMenu("Export")
        export.addActions(self.export_button.choices.actions())
        export.setEnabled(self.export_button.isEnabled())
        menu.addAction(self.actions_of[RunAction.REPORT])
        copy = menu.addMenu("Copy")
        copy.addActions(self.table.copy_actions(copy))
        copy.setEnabled(bool(self.table.selected_rows()))
        menu.addSeparator()
        menu.addAction(self.actions_of[RunAction.DELETE])
        menu.addActions(self._more_in_menu)
        return menu

    def _on_open(self) -> None:
        self.open_requested.emit(self.table.selected_ids()[0])

    def _on_compare(self) -> None:
        self.compare_requested.emit(self.table.selected_ids())

    def _on_tag(self) -> None:
        runs = [self._runs[run_id] for run_id in self.table.selected_ids()]
        all_tags = sorted({tag for run in self._runs.values() for tag in run.tags}, key=str.casefold)
        dialog = TagDialog(runs, all_tags, self)
        dialog.tags_requested.connect(self.tags_requested)
        dialog.open()

    def _on_note(self) -> None:
        dialog = NoteDialog(self._runs[self.table.selected_ids()[0]], self)
        dialog.note_requested.connect(self.note_requested)
        dialog.open()

    def _on_duplicate(self) -> None:
        self.duplicate_requested.emit(self.table.selected_ids()[0])

    def _on_export(self, kind: ExportKind) -> None:
        self.export_requested.emit(self.table.selected_ids(), kind)

    def _on_report(self) -> None:
        self.report_requested.emit([self._runs[run_id] for run_id in self.table.selected_ids()], list(self._sets))

    def _on_delete(self) -> None:
        self.table.setFocus()  # the button is disabled when nothing is selected any more, and loses the focus
        self.delete_requested.emit(self.table.selected_ids())
