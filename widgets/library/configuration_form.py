"""A configuration as a form: items, watts and factors."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import Item
from engine.errors import BadInput
from engine.files.csv_table import whole_of
from engine.parameters.typed_text import read_list, write_list
from widgets.parts.form.typed_table import TypedTable

_LONGEST_NAME, _LONGEST_CURRENCY = 120, 3


class ConfigurationForm(QWidget):
    """Holds what is typed; ``configuration`` converts it, or raises an error.

    ``name_editing_finished``: the focus has left the name field, whether it was edited or not.
    """

    edited = Signal()
    items_file_requested = Signal()
    name_editing_finished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = QLineEdit(self)
        self.currency = QLineEdit(self)
        self.note = QLineEdit(self)
        self.machines = QLineEdit(self)
        self.items = TypedTable("Bill of materials", ("Item", "Count", "Unit price"), numbers=(1, 2), parent=self)
        self.watts = TypedTable("Watts", ("Device", "Active W", "Idle W"), numbers=(1, 2), parent=self)
        self.factors = TypedTable("Factors", ("Factor", "Value"), parent=self)
        self.items_button = QPushButton("From CSV…", self)
        self._grid = QGridLayout()
        self._build()

    def fill(self, configuration: Configuration | None) -> None:
        """Show a configuration, or an empty form for a new one."""
        shown = configuration
        self.name.setText("" if shown is None else shown.name)
        self.currency.setText("$" if shown is None else shown.currency)
        self.note.setText("" if shown is None else shown.note)
        self.machines.setText("" if shown is None else write_list(shown.machines))
        self.set_items(() if shown is None else shown.items)
        self.watts.fill(
            []
            if shown is None
            else [(each.device, _plain(each.active_watts), _plain(each.idle_watts)) for each in shown.watts]
        )
        self.factors.fill([] if shown is None else list(shown.factors.items()))

    def set_items(self, items: tuple[Item, ...]) -> None:
        """Replace the items."""
        self.items.fill([(item.name, str(item.count), f"{item.price}") for item in items])
        self.edited.emit()

    def configuration(self) -> Configuration:
        """The typed configuration. Raises ``BadInput`` that names the wrong field."""
        return Configuration.from_dict(
            {
                "name": self.name.text().strip(),
                "note": self.note.text().strip(),
                "currency": self.currency.text().strip(),
                "machines": read_list(self.machines.text()),
                "items": [
                    {"name": name, "count": whole_of(count or "1", f"the count of '{name}'"), "price": price}
                    for name, count, price in self.items.rows()
                ],
                "watts": [
                    {"device": device, **{key: text for key, text in (("active", active), ("idle", idle)) if text}}
                    for device, active, idle in self.watts.rows()
                ],
                "factors": _factors(self.factors.rows()),
            }
        )

    def align_with(self, label: QLabel) -> None:
        """Begin the fields where the one after a longer label above the form begins."""
        self._grid.setColumnMinimumWidth(0, label.sizeHint().width())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if watched is self.name and event.type() == QEvent.Type.FocusOut:
            self.name_editing_finished.emit()
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        self.name.installEventFilter(self)
        self.name.setMaxLength(_LONGEST_NAME)
        self.name.setPlaceholderText("R630 with SSDs")
        self.currency.setMaxLength(_LONGEST_CURRENCY)
        self.currency.setFixedWidth(self.fontMetrics().averageCharWidth() * 8)
        self.items_button.setToolTip("A table with the columns name, count and price")
        grid = self._grid
        grid.setContentsMargins(0, 0, 0, 0)
        for place, (text, field) in enumerate((("&Name", self.name), ("C&urrency", self.currency))):
            grid.addWidget(_label(text, field, self), 0, 2 * place)
            grid.addWidget(field, 0, 2 * place + 1)
        grid.addWidget(_label("N&ote", self.note, self), 1, 0)
        grid.addWidget(self.note, 1, 1, 1, 3)
        self.machines.setPlaceholderText("of the inventory, such as db1, enclosure")
        self.machines.setToolTip("A run that is given this configuration reads these machines")
        grid.addWidget(_label("&Machines", self.machines, self), 2, 0)
        grid.addWidget(self.machines, 2, 1, 1, 3)
        bill = QHBoxLayout()
        bill.addWidget(_label("&Bill of materials", self.items, self), 1)
        bill.addWidget(self.items_button)
        below = QHBoxLayout()
        for text, table in (
            ("Average &watts of each device", self.watts),
            ("&Factors to compare by", self.factors),
        ):
            column = QVBoxLayout()
            column.addWidget(_label(text, table, self))
            column.addWidget(table)
            below.addLayout(column, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(grid)
        layout.addLayout(bill)
        layout.addWidget(self.items, 1)
        layout.addLayout(below)
        for field in (self.name, self.currency, self.note, self.machines):
            field.textEdited.connect(self.edited)
        for table in (self.items, self.watts, self.factors):
            table.edited.connect(self.edited)
        self.items_button.clicked.connect(self.items_file_requested)


def _label(text: str, field: QWidget, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setBuddy(field)
    return label


def _factors(rows: Sequence[tuple[str, ...]]) -> dict[str, str]:
    names = [name for name, _ in rows]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"factor '{name}' is given more than once; give each factor once.")
    return {name: value for name, value in rows}  # noqa: C416 - rows are tuples of any length to a type checker


def _plain(watts: float | None) -> str:
    return "" if watts is None else f"{watts:g}"
