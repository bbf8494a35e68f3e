"""The stages of a run's load: their figures with minimum, maximum and average, why it ended, and the knee.

Called by the tab of the response times.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engine.analysis.run_data import RunData
from engine.analysis.stages.table import stage_sentences, stage_table
from engine.record.totals import NO_TOTALS
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView


class StagesTable(QWidget):
    """The table below the sentences, and a button that copies all of it as text; hidden for a run without stages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TextModel(self, tips={"Average": "The mean of the stages; percentiles are not averaged"})
        self.head = QLabel(self)
        self.head.setWordWrap(True)
        self.head.setTextFormat(Qt.TextFormat.PlainText)
        self.view = TableView("Stages of the load", self)
        self.view.setModel(self.model)
        self.view.setAlternatingRowColors(True)
        self.copy_button = QPushButton("Copy table of stages", self)
        self.copy_button.clicked.connect(self.view.copy_all)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, layout.spacing(), 0, 0)  # in line with the charts above
        layout.addWidget(self.head)
        layout.addWidget(self.view, 1)
        layout.addLayout(foot)
        self.hide()

    def show_run(self, run: RunData) -> None:
        """Show the stages of a run that is over."""
        stages = (run.totals or NO_TOTALS).stages
        sentences = stage_sentences(stages, run.headline, run.sorted_events())
        self.setVisible(bool(stages or sentences))
        table = stage_table(stages, run.headline)
        self.head.setText(" ".join(sentences))
        self.head.setVisible(bool(sentences))
        titles = (title.replace(", ms", " ms") for title in table.columns)  # as in the other tables of the window
        self.model.show_texts(Texts(("Stage", *titles), (*table.rows, *table.extremes)))
        self.view.fit_columns([""] * self.model.columnCount())  # the figures of a run that is over don't grow
