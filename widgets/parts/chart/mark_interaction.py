"""Selecting, moving, renaming and removing marks of a chart, by pointer and keyboard."""

from PySide6.QtCore import QObject, Signal

from widgets.parts.chart.keys import ChartKeys
from widgets.parts.chart.marks import Marks
from widgets.parts.chart.mouse import ChartMouse
from widgets.parts.chart.plot import ChartPlot


class MarkInteraction(QObject):
    """The selection is changed here; a move, a renaming and a removal are only requested.

    While ``is_editable`` is false, marks can only be selected; fixed marks always.
    """

    moved = Signal(int, float)
    rename_requested = Signal(int)
    remove_requested = Signal(int)

    def __init__(self, plot: ChartPlot, marks: Marks, mouse: ChartMouse, keys: ChartKeys, parent: QObject) -> None:
        super().__init__(parent)
        self.is_editable = False
        self._plot, self._marks = plot, marks
        mouse.mark_chosen.connect(self.select)
        mouse.mark_dragged.connect(self._carry)
        mouse.mark_dropped.connect(self._drop)
        mouse.mark_opened.connect(self._open)
        keys.mark_step_requested.connect(self._step)
        keys.mark_move_requested.connect(self._carry_chosen)
        keys.mark_open_requested.connect(self._open_chosen)
        keys.mark_remove_requested.connect(self._remove_chosen)
        keys.mark_deselect_requested.connect(self._leave)

    def select(self, number: int | None) -> None:
        """Select a mark, or none."""
        if number != self._marks.chosen:
            self._marks.chosen = number
            self._show_chosen()

    def _step(self, by: int) -> None:
        before = self._marks.chosen
        if self._marks.step(by) != before:
            self._show_chosen()

    def _show_chosen(self) -> None:
        self._plot.arrange_marks(were_set=False)

    def _leave(self) -> None:
        self.select(None)

    def _carry(self, number: int, at_seconds: float) -> None:
        if self._can_edit(number):
            self._marks.drag(number, at_seconds)
            self._plot.arrange_marks(were_set=False)

    def _drop(self, number: int) -> None:
        mark = self._marks.of(number)
        if mark is not None and self._can_edit(number):
            self._marks.drop()
            self.moved.emit(number, mark.at_seconds)

    def _carry_chosen(self, by_seconds: int) -> None:
        mark = None if self._marks.chosen is None else self._marks.of(self._marks.chosen)
        if mark is not None:
            self._carry(mark.number, mark.at_seconds + by_seconds)
            self._drop(mark.number)

    def _open(self, number: int) -> None:
        if self._can_edit(number):
            self.rename_requested.emit(number)

    def _open_chosen(self) -> None:
        if self._marks.chosen is not None:
            self._open(self._marks.chosen)

    def _remove_chosen(self) -> None:
        if self._marks.chosen is not None and self._can_edit(self._marks.chosen):
            self.remove_requested.emit(self._marks.chosen)

    def _can_edit(self, number: int) -> bool:
        mark = self._marks.of(number)
        return self.is_editable and mark is not None and not mark.is_fixed
