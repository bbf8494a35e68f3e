"""The library's table of runs: sorting, filtering, stored columns, and editing of names and notes in place.

Called by ``LibraryPage``. Runs are identified by their ids, whatever their order on the screen is.
"""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QWidget

from engine.report.run_filter import RunFilter
from engine.report.run_listing import RunListing
from widgets.library.run_columns import COLUMNS, NAMES
from widgets.library.run_model import RunTableModel
from widgets.parts.look import Look
from widgets.parts.table.view import TableView

_ONLY_IN_SIGHT = 0
_YIELDING = ("name", "size", "audit", "headline", "users", "tags")
_ELIDED = (
    *(("note", "0" * 8), ("targets", ""), ("size", "0" * 8), ("tags", ""), ("note", "")),
    *(("campaign", ""), ("set", "0" * 8), ("name", "0" * 24)),
)
_LEAVING = ("variability", "faults", "think_time")


class RunTable(TableView):
    """Emits ``current_changed`` and ``selection_changed``.

    ``show_runs`` would discard a text that is being edited: ``is_editing`` says so, and ``editing_ended`` is emitted at
    its end.
    """

    rename_requested = Signal(str, str)
    note_requested = Signal(str, str)
    open_requested = Signal(str)
    current_changed = Signal(str)
    selection_changed = Signal()
    editing_ended = Signal()
    identity_column = NAMES.index("name")
    keeps_widths = True

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Runs", parent)
        self._model = RunTableModel(look, self)
        self._emitted_current = ""
        self._is_restoring = False
        self._longest: dict[str, str] = {}
        self.setModel(self._model)
        self._set_up()
        self._model.rename_requested.connect(self.rename_requested)
        self._model.note_requested.connect(self.note_requested)
        self.activated.connect(self._on_activated)
        self.selectionModel().selectionChanged.connect(self._emit_selection)

    def show_runs(self, runs: Sequence[RunListing]) -> None:
        """Show these runs; the selection and the visible runs are kept: newer runs are inserted above them.

        If the table is scrolled to the top, the newest run becomes visible.
        """
        had_rows, top = self.shown > 0, self._top_id()
        down, right = self.verticalScrollBar().value(), self.horizontalScrollBar().value()
        selected, current = self.selected_ids(), self.current_id()
        self._is_restoring = True
        self._model.show_runs(runs)
        self._select(selected, current)
        self._is_restoring = False
        self.verticalScrollBar().setValue(down)
        if top and (row := self._model.row_of(top)) is not None:
            at_top = QAbstractItemView.ScrollHint.PositionAtTop
            self.scrollTo(self._model.index(row, self.identity_column), at_top)
        self.horizontalScrollBar().setValue(right)
        self.columns.propose(NAMES.index("audit"), is_shown=any(run.audit for run in runs))
        self.columns.propose(NAMES.index("campaign"), is_shown=any(run.campaign for run in runs))
        self.columns.propose(NAMES.index("set"), is_shown=any(run.run_set for run in runs))
        self.columns.propose(NAMES.index("tags"), is_shown=any(run.tags for run in runs))
        self.columns.propose(NAMES.index("workload"), is_shown=len({run.workload for run in runs}) > 1)
        if self._let_yield(runs) or not had_rows:
            self.columns.give_room()
        self._emit_selection()

    def refresh_durations(self) -> None:
        """Update the durations of the runs in progress."""
        self._model.refresh_durations()

    def set_run_filter(self, run_filter: RunFilter) -> None:
        """Show the runs that match a filter; selected runs that are still shown stay selected."""
        selected, current = self.selected_ids(), self.current_id()
        self._is_restoring = True
        self._model.set_run_filter(run_filter)
        right = self.horizontalScrollBar().value()
        self._select(selected, current)
        self._is_restoring = False
        self.scrollTo(self.currentIndex())
        self.horizontalScrollBar().setValue(right)
        self._emit_selection()

    def show_in_turn(self) -> None:
        """Put the runs into the order in which they began, with room for their whole names."""
        self.sortByColumn(NAMES.index("started"), Qt.SortOrder.AscendingOrder)
        self.columns.show_whole(self.identity_column)

    @property
    def is_editing(self) -> bool:
        """Whether a name or a note is being edited."""
        return self.state() == QAbstractItemView.State.EditingState

    @property
    def shown(self) -> int:
        """How many runs match the filter."""
        return self._model.rowCount()

    def selected_ids(self) -> list[str]:
        """The selected runs in displayed order."""
        return [self._model.run_at(row).run_id for row in self.selected_rows()]

    def selected_rows(self) -> list[int]:
        """The selected rows from the top, computed from ranges: thousands may be selected at once."""
        selection = self.selectionModel().selection()
        ranges = [selection.at(place) for place in range(selection.size())]
        return sorted({row for each in ranges for row in range(each.top(), each.bottom() + 1)})

    def current_id(self) -> str:
        """The run with the keyboard focus; empty without one."""
        index = self.currentIndex()
        return self._model.run_at(index.row()).run_id if index.isValid() else ""

    def previewed_id(self) -> str:
        """The run to preview: the current one if it is selected, else the first selected one; empty without a
        selection."""
        selected, current = self.selected_ids(), self.current_id()
        return current if current in selected else next(iter(selected), "")

    def select_runs(self, run_ids: Collection[str]) -> None:
        """Select these and no others, and scroll to the first; where the filter hides them all, nothing changes."""
        if not any(self._index_of(each).isValid() for each in run_ids):
            return
        right = self.horizontalScrollBar().value()
        self._select(run_ids, next(iter(run_ids), ""))
        self.scrollTo(self.currentIndex())
        self.horizontalScrollBar().setValue(right)  # a view without a size would scroll away from the name

    def select_row(self, row: int) -> None:
        """Select the run in a row, or in the last one when there are fewer."""
        if last := self._model.rowCount():
            self.select_runs([self._model.run_at(min(row, last - 1)).run_id])

    def edit_name(self) -> None:
        """Edit the name of the current run in place."""
        self._edit("name")

    def edit_note(self) -> None:
        self._edit("note")

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:  # noqa: N802
        super().closeEditor(editor, hint)
        if not self.is_editing:
            self.editing_ended.emit()

    def _set_up(self) -> None:
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        self.make_sortable(NAMES.index("started"), Qt.SortOrder.DescendingOrder)
        self.horizontalHeader().setResizeContentsPrecision(_ONLY_IN_SIGHT)
        self.horizontalHeader().setStretchLastSection(True)
        self.columns.let_leave([NAMES.index(name) for name in _LEAVING])
        self.fit_columns([column.widest for column in COLUMNS])

    def _let_yield(self, runs: Sequence[RunListing]) -> bool:
        """In a narrow table, some columns have room for their longest text, also of runs that are filtered out, or are
        elided; returns whether that changed."""
        before = self._longest
        texts = {name: COLUMNS[NAMES.index(name)].text for name in _YIELDING}
        self._longest = {name: max(map(text, runs), key=len, default="") for name, text in texts.items()}
        self.columns.let_yield([(NAMES.index(name), text) for name, text in (*self._longest.items(), *_ELIDED)])
        return self._longest != before

    def _index_of(self, run_id: str) -> QModelIndex:
        row = self._model.row_of(run_id)
        return QModelIndex() if row is None else self._model.index(row, self.identity_column)

    def _top_id(self) -> str:
        """The run in the first visible row; empty when that is the first of all."""
        row = self.rowAt(0)
        return self._model.run_at(row).run_id if row > 0 else ""

    def _select(self, run_ids: Collection[str], current: str) -> None:
        selection = QItemSelection()
        for index in filter(QModelIndex.isValid, map(self._index_of, run_ids)):
            selection.select(index, index)
        model, flag = self.selectionModel(), QItemSelectionModel.SelectionFlag
        index = self._index_of(current)
        if index.isValid():
            model.setCurrentIndex(index, flag.NoUpdate)
        model.select(selection, flag.ClearAndSelect | flag.Rows)

    def _edit(self, name: str) -> None:
        index = self.currentIndex()
        if index.isValid():
            column = NAMES.index(name)
            self.setColumnHidden(column, False)
            self.edit(index.siblingAtColumn(column))

    def _on_activated(self, index: QModelIndex) -> None:
        self.open_requested.emit(self._model.run_at(index.row()).run_id)

    def _emit_selection(self) -> None:
        if self._is_restoring:
            return
        self.selection_changed.emit()
        current = self.previewed_id()
        if current != self._emitted_current:
            self._emitted_current = current
            self.current_changed.emit(current)
