"""The files of a SQL Server database: folders and initial sizes, a row for each filegroup, and one for the log.

Called by the database page. The placeholder of an empty number is the suggested one.
"""

from collections.abc import Mapping
from operator import attrgetter

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QGroupBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget

from engine.draft.layout_draft import FILE_TITLES, FOLDER_TITLES, FilesDraft, LayoutDraft
from engine.figure_text import byte_size, whole
from engine.target.store_layout import MOST_FILES, StoreLayout
from resources import read_text
from widgets.parts.form.fields import NumberField, fill_field, on_edit, read_field
from widgets.parts.form.note import FormNote
from widgets.parts.help_page import HelpPage
from widgets.parts.look import Look

_HEADINGS = ("Folder on the server", "Files", "Total size")
_MIB = 1024 * 1024
_LEAD = "Suggestions in grey: the size of the store plus 40 % free space, so that no file grows during a test."
_HELP_PAGE = "Before a serious run on SQL Server"
_HELP = {
    "backup_folder": "On the server: where a backup of the built store is kept, to reset it fast. Empty: none is made.",
    "bulk_folder": "A shared folder, for loading by BULK INSERT. Empty: rows are sent over the connection.",
}


class LayoutForm(QGroupBox):
    """Edits a ``LayoutDraft`` in place; ``edited`` is emitted for edits of the user."""

    edited = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Files of SQL Server's databases", parent)
        self._look = look
        self._draft = LayoutDraft()
        self._help: HelpPage | None = None
        self.fields: dict[str, QWidget] = {}
        self.notes: dict[str, FormNote] = {}
        self._grid = QGridLayout(self)
        self._grid.setColumnStretch(1, 1)
        self._add_headings()
        for name, title in FILE_TITLES.items():
            self._add_files(name, title)
        self._add_backup_folder()
        self._add_bulk_folder()
        self.sum_note = FormNote(look, self)
        self._grid.addWidget(self.sum_note, self._grid.rowCount(), 0, 1, len(_HEADINGS) + 1)
        self.help_button = QPushButton(_HELP_PAGE, self)
        self.help_button.clicked.connect(self.show_help)
        place = self._grid.rowCount()
        self._grid.addWidget(self.help_button, place, 0, 1, len(_HEADINGS) + 1, Qt.AlignmentFlag.AlignLeft)
        self.show_errors({})
        self.show_suggested(None)

    def load(self, draft: LayoutDraft) -> None:
        """Show these fields and edit them from now on."""
        self._draft = draft
        for name, field in self.fields.items():
            fill_field(field, attrgetter(name)(draft))

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Show the error of each row, by the names of ``LayoutDraft.validate``."""
        for name, note in self.notes.items():
            if name in errors:
                note.show_wrong(errors[name])
            else:
                note.show_help(_HELP.get(name, ""))
            note.setVisible(bool(note.text))

    def show_suggested(self, suggested: StoreLayout | None) -> None:
        """The numbers used for empty fields; ``None``: the store's size is unknown."""
        for name in FILE_TITLES:
            files = FilesDraft(folder="the server's default")
            if suggested is not None and name == "log":
                files.size_mb = str(suggested.log.size_mb)
            elif suggested is not None:
                group = suggested.filegroups[name]
                files.files, files.size_mb = str(group.files), str(group.size_mb)
            for part in ("folder", "files", "size_mb"):
                field = self.fields.get(f"{name}.{part}")
                if isinstance(field, QLineEdit):
                    field.setPlaceholderText(getattr(files, part))
        self.sum_note.show_help(_LEAD)

    def show_total(self, layout: StoreLayout) -> None:
        """The initial size of one database's files."""
        total = f"{whole(layout.total_mb)}\u202fMiB ({byte_size(layout.total_mb * _MIB)})"
        self.sum_note.show_help(f"{_LEAD} Each database takes {total} when it is created.")

    def show_help(self) -> HelpPage:
        """Explain what an administrator prepares before a serious run, in a separate window."""
        if self._help is None:
            self._help = HelpPage(_HELP_PAGE, read_text("help", "sql-server.md"), self)
        self._help.show()
        self._help.raise_()
        return self._help

    def focus_row(self, name: str) -> None:
        """Move the focus to the first field of a row."""
        next(field for path, field in self.fields.items() if path.split(".")[0] == name).setFocus()

    def _add_headings(self) -> None:
        for column, heading in enumerate(_HEADINGS, start=1):
            side = Qt.AlignmentFlag.AlignLeft if column == 1 else Qt.AlignmentFlag.AlignRight
            self._grid.addWidget(QLabel(heading, self), 0, column, side)

    def _add_files(self, name: str, title: str) -> None:
        place = self._grid.rowCount()
        folder = QLineEdit(self)
        label = QLabel(title, self)
        label.setBuddy(folder)
        size = NumberField("MiB", step=10, parent=self)
        self._grid.addWidget(label, place, 0)
        self._grid.addWidget(folder, place, 1)
        self._bind(f"{name}.folder", folder, f"{title}: {_HEADINGS[0].lower()}")
        if name == "log":
            self._grid.addWidget(QLabel("1", self), place, 2, Qt.AlignmentFlag.AlignRight)
        else:
            files = NumberField(parent=self)
            files.setToolTip(f"1 to {MOST_FILES} files, each an equal share of the size.")
            self._grid.addWidget(files, place, 2)
            self._bind(f"{name}.files", files, f"{title}: files")
        self._grid.addWidget(size, place, 3)
        self._bind(f"{name}.size_mb", size, f"{title}: total size, MiB")
        self._add_note(name)

    def _add_backup_folder(self) -> None:
        field = QLineEdit(self)
        field.setPlaceholderText("none")
        self._add_folders("backup_folder", field)

    def _add_bulk_folder(self) -> None:
        server, here = QLineEdit(self), QLineEdit(self)
        server.setPlaceholderText("as the server sees it")
        here.setPlaceholderText("as this machine sees it")
        self._add_folders("bulk_folder", server, here)

    def _add_folders(self, name: str, *fields: QLineEdit) -> None:
        place = self._grid.rowCount()
        label = QLabel(FOLDER_TITLES[name], self)
        label.setBuddy(fields[0])
        self._grid.addWidget(label, place, 0)
        row = QHBoxLayout()
        for field, path in zip(fields, (name, f"{name}_here"), strict=False):
            row.addWidget(field)
            self._bind(path, field, f"{FOLDER_TITLES[name]} {field.placeholderText()}")
        self._grid.addLayout(row, place, 1, 1, len(_HEADINGS))
        self._add_note(name)

    def _add_note(self, name: str) -> None:
        self.notes[name] = FormNote(self._look, self)
        self._grid.addWidget(self.notes[name], self._grid.rowCount(), 1, 1, len(_HEADINGS))

    def _bind(self, path: str, field: QWidget, accessible_name: str) -> None:
        field.setAccessibleName(accessible_name)
        self.fields[path] = field
        on_edit(field, self._read)

    def _read(self) -> None:
        for path, field in self.fields.items():
            *owner, attribute = path.split(".")
            setattr(attrgetter(".".join(owner))(self._draft) if owner else self._draft, attribute, read_field(field))
        self.edited.emit()
