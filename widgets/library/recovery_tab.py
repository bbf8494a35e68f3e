"""The faults of a stored run: a list, the recovery from the chosen one, and all of its figures.

Repeated faults are listed after the single ones, with the spread of their rounds.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.recovery.figures import Recovery
from engine.analysis.run_data import RunData
from engine.report.fault_repetitions import repeated_faults
from resources import read_text
from widgets.library.recovery_table import RecoveryTable
from widgets.library.spread_table import SpreadTable
from widgets.live.recovery_card import RecoveryCard
from widgets.live.recovery_values import SIGNS, lost_at, outcome_text
from widgets.parts.help_page import HelpPage
from widgets.parts.look import Look
from widgets.parts.shapes import shape_icon

_LIST_AND_REST = (160, 840)
_CARD_WIDTH = 3  # in halves of its minimum: if it were wider, figures would be far from their names
_MORE_LINES = 2  # of the card's sentences, beyond its least
_NO_FAULT = (
    "This run has no fault. A fault is an injection, or a mark that stands for one, such as Enclosure pulled; "
    "Marks and keys sets which marks do."
)


class RecoveryTab(QWidget):
    """The newest fault is chosen first; the choice is kept while the run is the same."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._run: RunData | None = None
        self._recoveries: list[Recovery] = []
        self._repeated: list[tuple[str, list[Recovery]]] = []
        self._audit: Mapping[str, Any] | None = None
        self._help: HelpPage | None = None
        self.faults = QListWidget(self)
        self.card = RecoveryCard(look)
        self.table = RecoveryTable()
        self.spread = SpreadTable()
        self.help_button = QPushButton("What the figures mean", self)
        self._nothing = QLabel(_NO_FAULT)
        self._all = QSplitter(Qt.Orientation.Horizontal)
        self._chosen = QStackedWidget()
        self._pages = QStackedWidget(self)
        self._lay_out()
        self.faults.currentRowChanged.connect(self._on_chosen)
        self.help_button.clicked.connect(self.show_help)

    def show_recoveries(self, run: RunData, recoveries: Sequence[Recovery]) -> None:
        """Show the recoveries of a run."""
        chosen = self.faults.currentRow() if run is self._run else -1
        self._run, self._recoveries = run, list(recoveries)
        self._repeated = list(repeated_faults(recoveries).items())
        if not 0 <= chosen < len(recoveries) + len(self._repeated):
            chosen = len(recoveries) - 1
        self.faults.blockSignals(True)
        self.faults.clear()
        for recovery in recoveries:
            self.faults.addItem(self._item(recovery))
        for label, rounds in self._repeated:
            self.faults.addItem(f"{label}, {len(rounds)} times\nmedian, worst and each round")
        self.faults.setCurrentRow(chosen)
        self.faults.blockSignals(False)
        self._pages.setCurrentIndex(1 if recoveries else 0)
        self._on_chosen(chosen)

    def set_audit(self, audit: Mapping[str, Any] | None) -> None:
        """The result of the run's audit, from its record."""
        self._audit = audit
        self._on_chosen(self.faults.currentRow())

    def show_help(self) -> HelpPage:
        """Explain the figures, in a separate window."""
        if self._help is None:
            self._help = HelpPage("Recovery from a fault", read_text("help", "recovery.md"), self)
        self._help.show()
        self._help.raise_()
        return self._help

    def _lay_out(self) -> None:
        self.faults.setAccessibleName("Faults of the run")
        self.faults.setWordWrap(True)
        self.faults.setResizeMode(QListWidget.ResizeMode.Adjust)
        self._nothing.setWordWrap(True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.table.foot.insertWidget(0, self.help_button)
        self.card.upper.setMaximumWidth(_CARD_WIDTH * self.card.minimumSizeHint().width() // 2)
        above = QWidget()
        card = QHBoxLayout(above)
        card.setContentsMargins(self.fontMetrics().averageCharWidth(), 0, 0, 0)
        card.addWidget(self.card, 1)
        rest = QSplitter(Qt.Orientation.Vertical)
        self._chosen.addWidget(rest)
        self._chosen.addWidget(self.spread)
        card_height = self.card.minimumSizeHint().height() + _MORE_LINES * self.fontMetrics().lineSpacing()
        for splitter, widgets, sizes, shares in (
            (rest, (above, self.table), (card_height, card_height), (0, 1)),  # a higher page shows more of the table
            (self._all, (self.faults, self._chosen), _LIST_AND_REST, _LIST_AND_REST),
        ):
            for widget, share in zip(widgets, shares, strict=True):
                splitter.addWidget(widget)
                splitter.setStretchFactor(splitter.count() - 1, share)
            splitter.setSizes(list(sizes))
            splitter.setChildrenCollapsible(False)
        self._pages.addWidget(self._nothing)
        self._pages.addWidget(self._all)
        layout = QVBoxLayout(self)
        layout.addWidget(self._pages)
        walk = (self.faults, self.card.text_area, self.table.view, self.help_button, self.table.copy_button)
        for first, second in pairwise(walk):
            QWidget.setTabOrder(first, second)

    def _item(self, recovery: Recovery) -> QListWidgetItem:
        text = f"{recovery.clock.moment(recovery.fault.at_seconds)}  {recovery.fault.label}\n{outcome_text(recovery)}"
        item = QListWidgetItem(shape_icon(*SIGNS[recovery.state], self._look), text)
        item.setToolTip(recovery.sentence)
        return item

    def _on_chosen(self, row: int) -> None:
        run, repeated = self._run, row - len(self._recoveries)
        self._chosen.setCurrentIndex(int(0 <= repeated < len(self._repeated)))
        if 0 <= repeated < len(self._repeated):
            self.spread.show_rounds(*self._repeated[repeated])
            return
        if run is None or not 0 <= row < len(self._recoveries):
            self.table.show_recovery(None)
            return
        recovery = self._recoveries[row]
        self.card.show_recovery(recovery, lost_at(recovery, self._audit, is_over=run.state.is_final))
        self.table.show_recovery(recovery)
