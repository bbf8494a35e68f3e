"""The settings, in groups: each is stored as soon as it is changed, and what is wrong is said below its field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from widgets.parts.dialog_size import resize_on_screen
from widgets.parts.fonts import scaled
from widgets.parts.form.fields import NumberField
from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_TITLE_FACTOR = 1.1
_FIELD_CHARACTERS, _NOTE_CHARACTERS = 44, 76
_ON, _OFF = "on", "off"


@dataclass(frozen=True, kw_only=True)
class SettingRow:
    """One setting: ``choices`` are texts with what is shown for them; ``on`` and ``off`` make a box to tick.

    ``hint`` says what it is and when it takes effect. ``is_folder``: a path, with a button to choose one.
    """

    name: str
    title: str
    hint: str
    text: str
    choices: Mapping[str, str]
    unit: str = ""
    is_folder: bool = False


class SettingsDialog(QDialog):
    """Not modal. ``changed`` carries the name and the text of a setting; ``show_stored`` or ``show_wrong`` answers.

    ``folder_requested`` carries the name of a setting whose folder is to be chosen; ``set_folder`` answers.
    """

    changed = Signal(str, str)
    folder_requested = Signal(str)

    def __init__(self, look: Look, groups: Mapping[str, Sequence[SettingRow]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.setModal(False)
        self._look = look
        self.fields: dict[str, QWidget] = {}
        self.notes: dict[str, FormNote] = {}
        self._hints = {row.name: row.hint for rows in groups.values() for row in rows}
        self._texts = {row.name: row.text for rows in groups.values() for row in rows}
        inside = QWidget(self)
        grid = QGridLayout(inside)
        grid.setColumnStretch(1, 1)
        for title, rows in groups.items():
            self._add_group(grid, title, rows)
        grid.setRowStretch(grid.rowCount(), 1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        area.setMinimumWidth(inside.minimumSizeHint().width() + area.verticalScrollBar().sizeHint().width())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setAutoDefault(False)  # Enter ends the typing of a field, and not the dialog
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
        wanted = inside.sizeHint() + QSize(4 * grid.horizontalSpacing(), 4 * buttons.sizeHint().height())
        resize_on_screen(self, wanted)

    def show_stored(self, name: str, sentence: str = "") -> None:
        """The setting is stored, which ``sentence`` may say."""
        note = self.notes[name]
        if sentence:
            note.show_good(sentence)
        else:
            note.show_help(self._hints[name])

    def show_wrong(self, name: str, sentence: str) -> None:
        """What is typed can't be used; what was stored before holds."""
        self.notes[name].show_wrong(sentence)

    def set_folder(self, name: str, folder: str) -> None:
        """A folder was chosen for a setting."""
        field = self.fields[name]
        assert isinstance(field, QLineEdit)
        field.setText(folder)
        self._emit(name, folder)

    def _add_group(self, grid: QGridLayout, title: str, rows: Sequence[SettingRow]) -> None:
        heading = QLabel(title, self)
        heading.setFont(scaled(self.font(), _TITLE_FACTOR, bold=True))
        row = grid.rowCount()
        if row > 1:
            grid.setRowMinimumHeight(row, self.fontMetrics().height() // 2)
            row += 1
        grid.addWidget(heading, row, 0, 1, 2)
        for setting in rows:
            row = grid.rowCount()
            field = self._field(setting)
            field.setAccessibleName(setting.title)
            note = FormNote(self._look, self)
            note.show_help(setting.hint)
            note.setMinimumWidth(_NOTE_CHARACTERS * self.fontMetrics().averageCharWidth())
            self.fields[setting.name], self.notes[setting.name] = field, note
            label = QLabel("" if isinstance(field, QCheckBox) else setting.title, self)
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addLayout(self._beside(field, setting), row, 1)
            grid.addWidget(note, row + 1, 1)

    def _field(self, setting: SettingRow) -> QWidget:
        name = setting.name
        if set(setting.choices) == {_ON, _OFF}:
            box = QCheckBox(setting.title, self)
            box.setChecked(setting.text == _ON)
            box.toggled.connect(lambda ticked: self._emit(name, _ON if ticked else _OFF))
            return box
        if setting.choices:
            choice = QComboBox(self)
            for text, shown in setting.choices.items():
                choice.addItem(shown, text)
            choice.setCurrentIndex(choice.findData(setting.text))
            choice.activated.connect(lambda _index: self._emit(name, choice.currentData()))
            return choice
        field = QLineEdit(self) if setting.is_folder else NumberField(setting.unit, parent=self)
        field.setText(setting.text)
        field.editingFinished.connect(lambda: self._emit(name, field.text()))
        return field

    def _beside(self, field: QWidget, setting: SettingRow) -> QHBoxLayout:
        line = QHBoxLayout()
        line.addWidget(field)
        if setting.is_folder:
            field.setMinimumWidth(_FIELD_CHARACTERS * self.fontMetrics().averageCharWidth())
            choose = QPushButton("Choose…", self)
            choose.setAccessibleName(f"Choose the {setting.title.lower()}")
            choose.setAutoDefault(False)
            choose.clicked.connect(lambda: self.folder_requested.emit(setting.name))
            line.addWidget(choose)
        else:
            line.addStretch(1)
        return line

    def _emit(self, name: str, text: str) -> None:
        """Leaving a field is no change."""
        if text != self._texts[name]:
            self._texts[name] = text
            self.changed.emit(name, text)
