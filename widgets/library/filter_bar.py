"""The search box and the filters above the library's table, each filter a button that shows its choice."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import cast

from PySide6.QtCore import QDate, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QDateEdit, QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QWidget

from engine.record.record import RunState
from engine.report.run_filter import RunFilter
from engine.report.run_listing import RunListing
from widgets.parts.multi_select_menu import MultiSelectMenu

_LONGEST_CHOICE = 18


class _Days(StrEnum):
    """When a run may have begun."""

    ANY = "Any date"
    DAY = "Last day"
    WEEK = "Last week"
    MONTH = "Last month"
    BETWEEN = "From – to"


_LENGTHS = {_Days.DAY: timedelta(days=1), _Days.WEEK: timedelta(days=7), _Days.MONTH: timedelta(days=30)}


class FilterBar(QWidget):
    """Emits ``filter_changed`` with a ``RunFilter`` whenever a filter changes."""

    filter_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._emitted = RunFilter()
        self.search = QLineEdit(self)
        self.tags = _ChoiceButton("Tag", self)
        self.states = _ChoiceButton("State", self)
        self.targets = _ChoiceButton("Target", self)
        self.campaigns = _ChoiceButton("Campaign", self)
        self.sets = _ChoiceButton("Set", self)
        self.days = _DaysButton(self)
        self._from = _date_edit("From", self)
        self._to = _date_edit("To", self)
        self._dash = QLabel("–", self)
        self.clear_button = QPushButton(self)
        self._build()

    @property
    def run_filter(self) -> RunFilter:
        """The present filter; the last day ends now."""
        started_from, started_to = self._span()
        return RunFilter(
            text=self.search.text().strip(),
            tags=frozenset(self.tags.chosen),
            states=frozenset(RunState(state) for state in self.states.chosen),
            targets=frozenset(self.targets.chosen),
            campaigns=frozenset(self.campaigns.chosen),
            run_sets=frozenset(self.sets.chosen),
            started_from=started_from,
            started_to=started_to,
        )

    def show_choices(self, runs: Iterable[RunListing]) -> None:
        """Offer the values of the runs; a chosen value that no run has any more is kept."""
        runs = list(runs)
        present = {run.state for run in runs}
        self.tags.offer({tag: tag for tag in sorted({tag for run in runs for tag in run.tags}, key=str.casefold)})
        self.states.offer({state.value: state.value for state in RunState if state in present})
        self.targets.offer({target: target for target in sorted({each for run in runs for each in run.targets})})
        self.campaigns.offer(_named(run.campaign for run in runs))
        self.campaigns.setVisible(self.campaigns.isEnabled())
        self.sets.offer(_named(run.run_set for run in runs))
        self._on_changed()

    def show_campaign(self, name: str) -> None:
        """Show all runs of a campaign, and no others."""
        self._clear()
        self.campaigns.offer({**self.campaigns.offered, name: name})
        self.campaigns.choose([name])

    def clear(self) -> None:
        """Reset all filters."""
        self._clear()
        self._on_changed()

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _clear(self) -> None:
        for button in (self.tags, self.states, self.targets, self.campaigns, self.sets):
            button.clear()
        self.days.choose(_Days.ANY)
        with QSignalBlocker(self.search):
            self.search.clear()

    def _build(self) -> None:
        self.search.setPlaceholderText("Search name, tag, note, label")
        self.search.setToolTip("Search (Ctrl+F)")
        self.search.setAccessibleName("Search runs")
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(self.fontMetrics().averageCharWidth() * 30)
        self.clear_button.setText("Clear filters")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.search, 1)
        buttons = (self.tags, self.states, self.targets, self.campaigns, self.sets, self.days)
        for widget in (*buttons, self._from, self._dash, self._to):
            layout.addWidget(widget)
        layout.addWidget(self.clear_button)
        self.search.textChanged.connect(self._on_changed)
        for button in buttons:
            button.changed.connect(self._on_changed)
        self._from.dateChanged.connect(self._on_changed)
        self._to.dateChanged.connect(self._on_changed)
        self.clear_button.clicked.connect(self.clear)
        self._show_dates()

    def _span(self) -> tuple[datetime | None, datetime | None]:
        if self.days.days is _Days.ANY:
            return None, None
        if self.days.days is _Days.BETWEEN:
            return _midnight(self._from.date()), _midnight(self._to.date().addDays(1))
        return datetime.now(UTC) - _LENGTHS[self.days.days], None

    def _show_dates(self) -> None:
        between = self.days.days is _Days.BETWEEN
        for widget in (self._from, self._dash, self._to):
            widget.setVisible(between)
        self.clear_button.setVisible(not self.run_filter.is_empty)

    def _on_changed(self) -> None:
        self._show_dates()
        asked = self.run_filter
        if asked != self._emitted:
            self._emitted = asked
            self.filter_changed.emit(asked)


class _ChoiceButton(QPushButton):
    """A filter with any number of values; its text shows which are chosen."""

    changed = Signal()

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._title = title
        self._menu = MultiSelectMenu(self)
        self._offered: dict[str, str] = {}
        self._menu.triggered.connect(self._on_triggered)
        self.setMenu(self._menu)
        self._show_choice()

    @property
    def offered(self) -> dict[str, str]:
        """The values with their texts."""
        return dict(self._offered)

    @property
    def chosen(self) -> list[str]:
        return [action.data() for action in self._menu.actions() if action.isChecked()]

    def offer(self, choices: dict[str, str]) -> None:
        """Offer these values under their texts; the choice is kept."""
        chosen = self.chosen
        offered = choices | {value: self._offered[value] for value in chosen if value not in choices}
        if offered == self._offered:
            return
        self._offered = offered
        self._menu.clear()
        for value, text in offered.items():
            action = QAction(text.replace("&", "&&"), self._menu, checkable=True, checked=value in chosen)
            action.setData(value)
            self._menu.addAction(action)
        self._show_choice()

    def choose(self, values: Sequence[str]) -> None:
        """Choose these of the offered values, and no others."""
        for action in self._menu.actions():
            action.setChecked(action.data() in values)
        self._on_triggered()

    def clear(self) -> None:
        for action in self._menu.actions():
            action.setChecked(False)
        self._show_choice()

    def _on_triggered(self) -> None:
        self._show_choice()
        self.changed.emit()

    def _show_choice(self) -> None:
        chosen = [self._offered[value] for value in self.chosen]
        text = chosen[0] if len(chosen) == 1 else f"{len(chosen)} chosen"
        short = text if len(text) <= _LONGEST_CHOICE else f"{text[: _LONGEST_CHOICE - 1]}…"
        self.setText((f"{self._title}: {short}" if chosen else self._title).replace("&", "&&"))
        self.setToolTip(", ".join(chosen) or f"Show any {self._title.lower()}")
        self.setAccessibleName(f"{self._title}: {', '.join(chosen) or 'any'}")
        _make_bold(self, bool(chosen))
        self.setEnabled(bool(self._offered))


class _DaysButton(QPushButton):
    """The filter by the start of a run."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.days = _Days.ANY
        menu = QMenu(self)
        self._group = QActionGroup(menu)
        for days in _Days:
            action = QAction(days.value, menu, checkable=True, checked=days is _Days.ANY)
            self._group.addAction(action)
            menu.addAction(action)
        menu.triggered.connect(self._on_triggered)
        self.setMenu(menu)
        self.choose(_Days.ANY)

    def choose(self, days: _Days) -> None:
        self.days = days
        for action in self._group.actions():
            action.setChecked(action.text() == days.value)
        self.setText("Date" if days is _Days.ANY else days.value)
        self.setAccessibleName(f"Date: {days.value}")
        _make_bold(self, days is not _Days.ANY)

    def _on_triggered(self, action: QAction) -> None:
        self.choose(_Days(action.text()))
        self.changed.emit()


def _named(names: Iterable[str]) -> dict[str, str]:
    """Names to choose from, each once, in order."""
    return {name: name for name in sorted(set(names) - {""}, key=str.casefold)}


def _make_bold(button: QPushButton, bold: bool) -> None:
    font = button.font()
    font.setBold(bold)
    button.setFont(font)


def _date_edit(name: str, parent: QWidget) -> QDateEdit:
    edit = QDateEdit(QDate.currentDate(), parent)
    edit.setCalendarPopup(True)
    edit.setDisplayFormat("yyyy-MM-dd")
    edit.setAccessibleName(f"{name} this day")
    return edit


def _midnight(day: QDate) -> datetime:
    """The beginning of a day in local time."""
    return datetime.combine(cast("datetime", day.toPython()), time()).astimezone()
