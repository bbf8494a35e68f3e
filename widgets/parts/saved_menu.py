"""A button for items that the user saves under names: load, save, rename and delete.

Called by the wizard for presets and targets. It stores nothing: it shows names and emits requests.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_LONGEST_NAME = 80


class SavedMenu(QPushButton):
    """``noun`` is the word for one item, such as "preset". With ``lists`` the menu offers the saved items.

    ``chosen``, ``save_requested`` and ``delete_requested`` carry a name, ``rename_requested`` the old and the new one.
    """

    chosen = Signal(str)
    save_requested = Signal(str)
    rename_requested = Signal(str, str)
    delete_requested = Signal(str)

    def __init__(self, noun: str, look: Look, *, lists: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._noun = noun
        self._lists = lists
        self._names: tuple[str, ...] = ()
        self._reserved: tuple[str, ...] = ()
        self._suggested = ""
        self._is_saveable = True
        self.dialog: NameDialog | None = None
        self.setText(f"S&aved {noun}s")
        self.setToolTip(f"Take, save, rename and delete {noun}s of your own.")
        self.setMenu(QMenu(self))
        self._fill()

    def show_names(self, names: Sequence[str], *, reserved: Sequence[str] = ()) -> None:
        """The names of the saved items, and the reserved names."""
        self._names, self._reserved = tuple(names), tuple(reserved)
        self._fill()

    def show_saveable(self, suggested: str, *, is_saveable: bool) -> None:
        """Whether the typed values can be saved, and the default name."""
        self._suggested, self._is_saveable = suggested, is_saveable
        self._fill()

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        if self._lists:
            self._add_names(menu, self.chosen.emit)
            menu.addSeparator()
        save = menu.addAction(f"Save this {self._noun} as…")
        save.setEnabled(self._is_saveable)
        save.triggered.connect(self._ask_save)
        for title, act in (("Rename", self._ask_rename), ("Delete", self.delete_requested.emit)):
            sub_menu = menu.addMenu(title)
            sub_menu.setEnabled(bool(self._names))
            self._add_names(sub_menu, act)

    def _add_names(self, menu: QMenu, act: Callable[[str], None]) -> None:
        for name in self._names:
            menu.addAction(name.replace("&", "&&")).triggered.connect(partial(_with_name, act, name))

    def _ask_save(self) -> None:
        title = f"Save the {self._noun}"
        dialog = NameDialog(
            title, self._suggested, self._reserved, self._look, replaces=self._names, parent=self.window()
        )
        self._ask(dialog)

    def _ask_rename(self, name: str) -> None:
        others = [each for each in self._names if each != name]
        dialog = NameDialog(
            f"Rename the {self._noun}", name, [*self._reserved, *others], self._look, parent=self.window()
        )
        self._ask(dialog, renamed=name)

    def _ask(self, dialog: "NameDialog", *, renamed: str = "") -> None:
        self.dialog = dialog
        dialog.named.connect(partial(self._on_named, renamed))
        dialog.open()

    def _on_named(self, renamed: str, name: str) -> None:
        if not renamed:
            self.save_requested.emit(name)
        elif name != renamed:
            self.rename_requested.emit(renamed, name)


def _with_name(act: Callable[[str], None], name: str, _checked: bool = False) -> None:
    act(name)


class NameDialog(QDialog):
    """Asks for a name that is not in ``taken``, and warns if an item of that name is replaced."""

    named = Signal(str)

    def __init__(
        self,
        title: str,
        name: str,
        taken: Sequence[str],
        look: Look,
        *,
        replaces: Sequence[str] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._taken = {each.casefold() for each in taken}
        self._replaces = {each.casefold() for each in replaces}
        self.name = QLineEdit(name, self)
        self.name.setMaxLength(_LONGEST_NAME)
        self.name.selectAll()
        self.note = FormNote(look, self)
        answers = QDialogButtonBox(parent=self)
        self.accept_button = answers.addButton(title.split()[0], QDialogButtonBox.ButtonRole.AcceptRole)
        answers.addButton(QDialogButtonBox.StandardButton.Cancel)
        answers.accepted.connect(self.accept)
        answers.rejected.connect(self.reject)
        label = QLabel("&Name", self)
        label.setBuddy(self.name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        for widget in (label, self.name, self.note, answers):
            layout.addWidget(widget)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 60)
        self.name.textChanged.connect(self._check)
        self._check()

    def accept(self) -> None:
        """Emit the name, and close."""
        self.named.emit(self.name.text().strip())
        super().accept()

    def _check(self) -> None:
        typed = self.name.text().strip()
        is_taken = typed.casefold() in self._taken
        if is_taken:
            self.note.show_wrong(f"“{typed}” exists already; give another name.")
        elif typed.casefold() in self._replaces:
            self.note.show_warning(f"This replaces “{typed}”.")
        else:
            self.note.clear()
        self.name.setAccessibleDescription(self.note.text)
        self.accept_button.setEnabled(bool(typed) and not is_taken)
