"""The table of all keyboard shortcuts, in a window that stays open beside the work."""

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from widgets.parts.dialog_size import resize_to_text
from widgets.parts.key_help import KeyHelp
from widgets.parts.table.text_model import TextModel, Texts
from widgets.parts.table.view import TableView

_TITLES = ("Where", "Keys", "What they do")
_COLUMNS, _LINES = 110, 32


class ShortcutsDialog(QDialog):
    """Not modal; Escape closes it."""

    def __init__(self, keys: Mapping[str, Sequence[KeyHelp]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setModal(False)
        model = TextModel(self)
        self.table = TableView("Keyboard shortcuts", self)
        self.table.setModel(model)
        self.table.setAlternatingRowColors(True)
        rows = tuple(
            (section if not place else "", key.keys, key.what)
            for section, of_section in keys.items()
            for place, key in enumerate(of_section)
        )
        model.show_texts(Texts(_TITLES, rows, words=len(_TITLES)))
        self.table.fit_columns(_TITLES)
        self.table.horizontalHeader().setStretchLastSection(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.table, 1)
        layout.addWidget(buttons)
        resize_to_text(self, _COLUMNS, _LINES)
