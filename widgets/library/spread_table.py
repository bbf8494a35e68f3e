"""The recovery figures of a repeated fault: a line for each, with the median, the worst, and the value of every
round."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engine.analysis.recovery.figures import Recovery
from engine.analysis.recovery.spread import recovery_spread
from engine.report.fault_repetitions import spread_rows
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_TITLES = ("Figure", "Median", "Worst")
_WIDEST_FIGURE, _WIDEST_VALUE = "Orders missed, in baseline time", "not recovered"


class SpreadTable(QWidget):
    """The table below a line with the number of rounds that recovered, and a button that copies all of it as text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TextModel(self)
        self.head = QLabel(self)
        self.head.setWordWrap(True)
        self.view = TableView("Spread of the repeated fault", self)
        self.view.setModel(self.model)
        self.view.setAlternatingRowColors(True)
        self.copy_button = QPushButton("Copy table", self)
        self.copy_button.clicked.connect(self.view.copy_all)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.head)
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)

    def show_rounds(self, label: str, rounds: Sequence[Recovery]) -> None:
        """Show the rounds of the fault with this ``label``, in order."""
        recovered = recovery_spread(rounds).recovered
        self.head.setText(f"{label}, {len(rounds)} times: {recovered} of {len(rounds)} recovered or had no drop.")
        self.model.show_texts(spread_texts(rounds))
        self.view.fit_columns([_WIDEST_FIGURE] + [_WIDEST_VALUE] * (self.model.columnCount() - 1))


def spread_texts(rounds: Sequence[Recovery]) -> Texts:
    """The lines for one fault's rounds; empty without any."""
    if not rounds:
        return Texts((), ())
    found = spread_rows(rounds[0].headline, recovery_spread(rounds))
    rows = tuple((figure, median, worst, *each) for figure, median, worst, each in found)
    return Texts((*_TITLES, *(f"Round {number}" for number in range(1, len(rounds) + 1))), rows)
