"""Forms: rows of a label, a field, and one line of help that is replaced by an error when the value is wrong.

Called by the wizard's pages. Each row is named after the attribute that it edits.
"""

import math
from collections.abc import Mapping
from operator import attrgetter

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from widgets.parts.form.fields import NumberField, fill_field, on_edit, read_field
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_GRID_COLUMNS = 4  # a label, a field, a note beside it, and a gap before further rows


class FormRow:
    """One row: its label, its field (or the widget that contains it), and its note, which is ``beside`` it or below."""

    def __init__(
        self, label: QLabel, holder: QWidget, field: QWidget, note: FormNote, help_text: str, *, beside: bool
    ) -> None:
        self.label = label
        self.holder = holder
        self.field = field
        self.note = note
        self.beside = beside
        self._help_text = help_text
        self._is_warning = False
        self._shows_help = self.is_visible = True
        self.show_error("")

    def show_error(self, sentence: str) -> None:
        """Show the error instead of the help; an empty one shows the help again."""
        if sentence:
            self.note.show_wrong(sentence)
        elif self._is_warning:
            self.note.show_warning(self._help_text)
        else:
            self.note.show_help(self._help_text)
        self._show_note()
        self.field.setAccessibleDescription(sentence or self._help_text)

    def set_help(self, text: str, *, is_warning: bool = False) -> None:
        """Set the help, or a warning; a displayed error stays."""
        self._help_text = text
        self._is_warning = is_warning
        if not self.note.is_wrong:
            self.show_error("")

    def put_help_into_tool_tip(self) -> None:
        """Show the help as a tool tip, so that the row is as low as its field while that is right."""
        self.field.setToolTip(self._help_text)
        self._shows_help = False
        self.show_error("")

    def set_label(self, text: str, mnemonic: str) -> None:
        """Call the field something else."""
        self.label.setText(with_mnemonic(text, mnemonic))
        self.field.setAccessibleName(text)

    def set_visible(self, visible: bool) -> None:
        self.is_visible = visible
        for widget in (self.label, self.holder):
            widget.setVisible(visible)
        self._show_note()

    def _show_note(self) -> None:
        has_news = bool(self.note.text) and (self._shows_help or self.note.is_wrong)
        self.note.setVisible(self.is_visible and has_news)


class Form(QWidget):
    """Rows in a grid. ``edited`` is emitted for edits of the user, not by ``fill``."""

    edited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.rows: dict[str, FormRow] = {}
        self._fields: dict[str, QWidget] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(2, 1)

    def add(
        self,
        name: str,
        label_text: str,
        field: QWidget,
        *,
        help_text: str = "",
        beside: bool = False,
        holder: QWidget | None = None,
        bound: bool = True,
        mnemonic: str = "",
    ) -> FormRow:
        """Add a row at the end; ``beside`` puts the note right of a short field, else it is below.

        Alt with the ``mnemonic``, a letter of the label, moves to the field. ``holder`` is the widget to place when the
        field is inside of one. A field that is not ``bound`` is neither read nor filled.
        """
        holder = holder or field
        label = QLabel(with_mnemonic(label_text, mnemonic), self)
        label.setBuddy(field)
        unit = field.unit if isinstance(field, NumberField) else ""
        field.setAccessibleName(f"{label_text}, {unit}" if unit else label_text)
        note = FormNote(self._look, self)
        label.setMinimumHeight(field.sizeHint().height())
        row = FormRow(label, holder, field, note, help_text, beside=beside)
        self._place(row, self._grid.rowCount(), 0)
        self.rows[name] = row
        if bound:
            self.bind(name, field)
        return self.rows[name]

    def remove(self, name: str) -> None:
        """Take a row away that is not bound."""
        row = self.rows.pop(name)
        for widget in (row.label, row.holder, row.note):
            self._grid.removeWidget(widget)
            widget.hide()
            widget.deleteLater()

    def arrange(self, columns: int) -> None:
        """Lay the visible rows out in so many columns, the first ones in the first."""
        shown = [row for row in self.rows.values() if row.is_visible]
        in_each = math.ceil(len(shown) / columns)
        for number, row in enumerate(shown):
            column, place = divmod(number, in_each)
            self._place(row, 2 * place, column * _GRID_COLUMNS)
        for place in range(self._grid.columnCount()):
            column, part = divmod(place, _GRID_COLUMNS)
            self._grid.setColumnStretch(place, int(part == 2 and column < columns))
            is_gap = part == 3 and column < columns - 1
            self._grid.setColumnMinimumWidth(place, self.fontMetrics().height() if is_gap else 0)

    def _place(self, row: FormRow, place: int, first: int) -> None:
        """Put a row into the grid, from its column ``first`` on."""
        grid, middle = self._grid, Qt.AlignmentFlag.AlignVCenter
        is_tall = row.holder.sizeHint().height() > row.field.sizeHint().height()
        grid.addWidget(row.label, place, first, Qt.AlignmentFlag.AlignTop if is_tall else middle)
        if row.beside:
            grid.addWidget(row.holder, place, first + 1)
            grid.addWidget(row.note, place, first + 2, middle)
        else:
            grid.addWidget(row.holder, place, first + 1, 1, 2)
            grid.addWidget(row.note, place + 1, first + 1, 1, 2)

    def bind(self, name: str, field: QWidget) -> None:
        """Read and fill a field by this name; ``add`` does so for its own.

        A name with a dot is an attribute of an attribute.
        """
        self._fields[name] = field
        on_edit(field, self._emit_edited)

    def fill(self, source: object) -> None:
        """Show the attributes with the fields' names."""
        for name, field in self._fields.items():
            fill_field(field, attrgetter(name)(source))

    def read_into(self, target: object) -> None:
        """Set the attributes with the fields' names to what is typed."""
        for name, field in self._fields.items():
            *owner, attribute = name.split(".")
            setattr(attrgetter(".".join(owner))(target) if owner else target, attribute, read_field(field))

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Show the error of each row, by the rows' names; the other rows show their help."""
        for name, row in self.rows.items():
            row.show_error(errors.get(name, ""))

    def _emit_edited(self) -> None:
        self.edited.emit()


def with_mnemonic(text: str, letter: str) -> str:
    """The text with ``&`` before the first such letter, preferably a capital one."""
    places = [text.find(each) for each in (letter.upper(), letter) if letter and each in text]
    return f"{text[: places[0]]}&{text[places[0] :]}" if places else text
