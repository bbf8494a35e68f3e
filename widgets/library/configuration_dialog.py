"""Chooses, edits or creates the configuration of runs or of a set."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import cost_per_headline_rate, money_text
from engine.analysis.headline import Headline
from engine.analysis.host.power import power_figures
from engine.errors import BadInput
from engine.figure_text import capitalised, decimal
from widgets.library.configuration_form import ConfigurationForm

_CHARACTERS = 90
_NONE, _NEW = "none", "New…"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a configuration is chosen for: ``title`` describes it, ``run_set`` or ``run_ids`` identify it.

    ``rate`` is the headline metric of the run or of the set's median run, for cost and watts per unit of it, and
    ``headline`` that metric; ``configuration`` is the name of the present one.
    """

    title: str
    run_set: str = ""
    run_ids: tuple[str, ...] = ()
    rate: float | None = None
    headline: Headline | None = None
    configuration: str = ""

    @property
    def is_nothing(self) -> bool:
        """Whether the configuration is only to be saved."""
        return not self.run_set and not self.run_ids


class ConfigurationDialog(QDialog):
    """``save_requested`` carries the ``Measured`` and its configuration to save, ``None`` to remove the assignment."""

    save_requested = Signal(object, object)
    delete_requested = Signal(str)
    items_file_requested = Signal()

    def __init__(
        self,
        measured: Measured,
        configurations: Sequence[Configuration],
        proposed: Configuration | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._measured = measured
        self._by_name = {each.name: each for each in configurations}
        self._is_untouched = True
        self.choice = QComboBox(self)
        self.form = ConfigurationForm(self)
        self.delete_button = QPushButton("Delete", self)
        self.figures = QLabel(self)
        self.problem = QLabel(self)
        self._answers = QDialogButtonBox(parent=self)
        self.save_button = self._answers.addButton("Save", QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle("Configuration")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build()
        self._offer(proposed)
        self._connect()
        self._judge()

    def set_items(self, configuration: Configuration) -> None:
        """Use the items of a bill that was read."""
        self.form.set_items(configuration.items)

    def accept(self) -> None:
        """Emit what to save, and close; or show what is wrong."""
        self._touch()
        if self.problem.text():
            return
        self.save_requested.emit(self._measured, None if self._is_none else self.form.configuration())
        super().accept()

    @property
    def _is_none(self) -> bool:
        return bool(self.choice.currentData() == _NONE)

    def _build(self) -> None:
        about = QLabel(self._measured.title, self)
        about.setWordWrap(True)
        label = QLabel("&Configuration", self)
        label.setBuddy(self.choice)
        self.form.align_with(label)
        self.choice.setAccessibleName("Configuration")
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.choice, 1)
        row.addWidget(self.delete_button)
        for each in (self.figures, self.problem):
            each.setWordWrap(True)
        self._answers.addButton(QDialogButtonBox.StandardButton.Cancel)
        layout = QVBoxLayout(self)
        layout.addWidget(about)
        layout.addLayout(row)
        layout.addWidget(self.form, 1)
        for widget in (self.figures, self.problem, self._answers):
            layout.addWidget(widget)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _CHARACTERS)

    def _offer(self, proposed: Configuration | None) -> None:
        if not self._measured.is_nothing:
            self.choice.addItem("none or unknown", _NONE)
        self.choice.addItem("New…", _NEW)
        for name in self._by_name:
            self.choice.addItem(name, name)
        now = self._measured.configuration
        self.choice.setCurrentIndex(self.choice.findData(now if now and proposed is None else _NEW))
        self.form.fill(proposed or self._by_name.get(now))

    def _connect(self) -> None:
        self.choice.currentIndexChanged.connect(self._on_chosen)
        self.form.edited.connect(self._judge)
        self.form.name_editing_finished.connect(self._touch)
        self.form.items_file_requested.connect(self.items_file_requested)
        self.delete_button.clicked.connect(self._on_delete)
        self._answers.accepted.connect(self.accept)
        self._answers.rejected.connect(self.reject)

    def _on_chosen(self) -> None:
        self._is_untouched = True
        self.form.fill(self._by_name.get(self.choice.currentData()))
        self._judge()

    def _touch(self) -> None:
        self._is_untouched = False
        self._judge()

    def _on_delete(self) -> None:
        self.delete_requested.emit(self.choice.currentData())
        self.reject()

    def _judge(self) -> None:
        self.form.setVisible(not self._is_none)
        self.delete_button.setEnabled(self.choice.currentData() in self._by_name)
        problem, figures = "", ""
        if not self._is_none:
            try:
                figures = _figures(self.form.configuration(), self._measured)
            except BadInput as error:
                # A missing name is not reported before there was time to type it.
                is_too_early = self._is_untouched and not self.form.name.text().strip()
                problem = "" if is_too_early else capitalised(str(error))
        self.figures.setText(figures)
        self.problem.setText(problem)
        self.save_button.setEnabled(not problem)


def _figures(configuration: Configuration, measured: Measured) -> str:
    """What the configuration costs and draws, in total and per unit of the headline metric."""
    rate, headline = measured.rate, measured.headline
    metric, reached = ("", "") if headline is None else (headline.label, headline.text(rate))
    bill, power = configuration.bill(), power_figures(configuration.watts, rate)
    parts = []
    if bill.items:
        cost = cost_per_headline_rate(bill, rate)
        each = "" if cost is None else f", {money_text(cost, bill.currency)} per {metric} at {reached} {metric}"
        parts.append(f"{money_text(bill.total, bill.currency)} in all{each}.")
    if power.active_watts is not None:
        per_watt = power.headline_rate_per_watt
        each = ""
        if per_watt is not None and headline is not None:
            each = f", {headline.per_watt_text(per_watt)} {metric} per watt"
        parts.append(f"{decimal(power.active_watts)} W active{each}.")
    return " ".join((*parts, power.sentence if configuration.watts else "")).strip()
