"""The lines of the event log: time on the measuring clock, and the event, with a shape for its kind."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from engine.analysis.event_lines import EventLine, event_lines
from engine.analysis.run_data import RunData
from engine.record.clock import RunClock
from engine.telemetry.event import EventKind, RunEvent
from widgets.parts.look import Look
from widgets.parts.shapes import Shape, Tone, shape_icon

LINE_ROLE = Qt.ItemDataRole.UserRole
TIME_COLUMN, TEXT_COLUMN = 0, 1
AnyIndex = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_TITLES = ("Time", "What happened")
_SIGNS: dict[EventKind, tuple[Shape, Tone]] = {
    EventKind.PHASE: (Shape.RING, "accent"),
    EventKind.MARK: (Shape.FLAG, "mark"),
    EventKind.WARNING: (Shape.TRIANGLE, "warning"),
    EventKind.CONNECTION_LOST: (Shape.DIAMOND, "warning"),
    EventKind.CONNECTION_BACK: (Shape.TICK, "good"),
    EventKind.TARGET_ERROR: (Shape.CROSS, "bad"),
    EventKind.CLIENT_LOST: (Shape.TRIANGLE, "bad"),
    EventKind.CLIENT_FAILED: (Shape.TRIANGLE, "bad"),
    EventKind.LIBRARY: (Shape.TRIANGLE, "warning"),
    EventKind.STORE: (Shape.TRIANGLE, "warning"),
    EventKind.INJECTION: (Shape.SQUARE, "mark"),
    EventKind.FAULT_END: (Shape.FLAG, "good"),
}
_OTHER_SIGN: tuple[Shape, Tone] = (Shape.DISC, "muted")


class EventModel(QAbstractTableModel):
    """``rename_requested`` carries a mark's number and its new label; the line changes when the run's event does."""

    rename_requested = Signal(int, str)

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: RunData | None = None
        self._seen: dict[int, RunEvent] = {}
        self._lines: list[EventLine] = []
        self._clock = RunClock()
        self._signs = {kind: shape_icon(*_SIGNS.get(kind, _OTHER_SIGN), look) for kind in EventKind}

    def show_run(self, run: RunData) -> None:
        """Show another run: new lines."""
        self.beginResetModel()
        self._run = run
        self._seen = dict(run.events)
        self._lines = event_lines(run)
        self._clock = run.clock
        self.endResetModel()

    def refresh(self) -> None:
        """Read what has changed; without changes it costs almost nothing."""
        run = self._run
        if run is None:
            return
        if run.events != self._seen:
            self._seen = dict(run.events)
            self._put(event_lines(run))
        if run.clock != self._clock:
            self._clock = run.clock
            self._emit_changed(0, len(self._lines))

    def row_of(self, number: int) -> int | None:
        """The row of an event."""
        return next((row for row, line in enumerate(self._lines) if line.number == number), None)

    def rowCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: AnyIndex = _NO_INDEX) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(_TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: N802
        is_title = orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return _TITLES[section] if is_title and 0 <= section < len(_TITLES) else None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and index.column() == TEXT_COLUMN and self._lines[index.row()].is_mark:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        line, label = self._lines[index.row()], str(value).strip()
        if not line.is_mark or not label or label == line.label:
            return False
        self.rename_requested.emit(line.number, label)
        return True

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, is_time = self._lines[index.row()], index.column() == TIME_COLUMN
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._time(line) if is_time else line.text
            case Qt.ItemDataRole.EditRole:
                return None if is_time else line.label
            case Qt.ItemDataRole.TextAlignmentRole if is_time:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.DecorationRole if not is_time:
                return self._signs[line.kind]
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"at {self._time(line)}" if is_time else f"{line.kind.value}: {line.text}"
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(part for part in (line.text, _how(line), line.detail) if part)
        return line if role == LINE_ROLE else None

    def _time(self, line: EventLine) -> str:
        return self._clock.moment(line.at_seconds)

    def _put(self, lines: list[EventLine]) -> None:
        """Insert and remove rows where events were added and removed, so that a selected or edited line stays."""
        before, after = ([line.number for line in each] for each in (self._lines, lines))
        first = _common(before, after)
        behind = _common(before[first:][::-1], after[first:][::-1])
        more = len(after) - len(before)
        place = min(len(before), len(after)) - behind
        if more < 0:
            self.beginRemoveRows(_NO_INDEX, place, place - more - 1)
            del self._lines[place : place - more]
            self.endRemoveRows()
        elif more > 0:
            self.beginInsertRows(_NO_INDEX, place, place + more - 1)
            self._lines[place:place] = lines[place : place + more]
            self.endInsertRows()
        changed = [row for row in range(len(lines)) if self._lines[row] != lines[row]]
        self._lines = lines
        if changed:
            self._emit_changed(changed[0], changed[-1] + 1)

    def _emit_changed(self, first: int, end: int) -> None:
        if end > first:
            self.dataChanged.emit(self.index(first, TIME_COLUMN), self.index(end - 1, TEXT_COLUMN))


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """How many numbers both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _how(line: EventLine) -> str:
    return ("set by hand" if line.by_hand else "set by the plan") if line.is_mark else ""
