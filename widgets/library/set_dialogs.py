"""Dialogs for the name of a run set: of a new one, and of one that is renamed."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from widgets.parts.form.note import FormNote
from widgets.parts.look import Look

_LONGEST_NAME = 120


class _NameDialog(QDialog):
    """A name that is not in ``taken``, ignoring case; ``about`` says what it is for."""

    def __init__(
        self, title: str, about: str, name: str, taken: Collection[str], look: Look, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self._taken = {each.casefold() for each in taken}
        self.name = QLineEdit(name, self)
        self.problem = FormNote(look, self)
        self._answers = QDialogButtonBox(parent=self)
        self.accept_button = self._answers.addButton(title, QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build(about)
        self._judge()

    @property
    def typed(self) -> str:
        return self.name.text().strip()

    def _build(self, about: str) -> None:
        sentence = QLabel(about, self)
        sentence.setWordWrap(True)
        sentence.setVisible(bool(about))
        label = QLabel("&Name of the set", self)
        label.setBuddy(self.name)
        self.name.setMaxLength(_LONGEST_NAME)
        self.name.selectAll()
        self.name.textChanged.connect(self._judge)
        self._answers.addButton(QDialogButtonBox.StandardButton.Cancel)
        self._answers.accepted.connect(self.accept)
        self._answers.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for widget in (sentence, label, self.name, self.problem, self._answers):
            layout.addWidget(widget)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 60)

    def _judge(self) -> None:
        sentence = ""
        if not self.typed:
            sentence = "The name is empty; give one such as R630 SSD 20 ms."
        elif self.typed.casefold() in self._taken:
            sentence = f"A set “{self.typed}” exists already; choose another name."
        if sentence:
            self.problem.show_wrong(sentence)
        else:
            self.problem.clear()
        self.name.setAccessibleDescription(sentence)
        self.accept_button.setEnabled(not sentence)


class NewSetDialog(_NameDialog):
    """Emits ``create_requested`` with the name and the ids of the runs."""

    create_requested = Signal(str, list)

    def __init__(
        self, run_ids: Sequence[str], suggestion: str, taken: Collection[str], look: Look, parent: QWidget | None = None
    ) -> None:
        many = "One run makes" if len(run_ids) == 1 else f"{len(run_ids)} runs make"
        about = f"{many} one result, represented by the median run."
        super().__init__("Make the set", about, suggestion, taken, look, parent)
        self._run_ids = list(run_ids)

    def accept(self) -> None:
        """Emit the name, and close."""
        self.create_requested.emit(self.typed, self._run_ids)
        super().accept()


class RenameSetDialog(_NameDialog):
    """Emits ``rename_requested`` with the set's name and the new one, if it differs."""

    rename_requested = Signal(str, str)

    def __init__(self, name: str, taken: Collection[str], look: Look, parent: QWidget | None = None) -> None:
        super().__init__("Rename the set", "", name, set(taken) - {name}, look, parent)
        self._before = name

    def accept(self) -> None:
        """Emit the new name, and close."""
        if self.typed != self._before:
            self.rename_requested.emit(self._before, self.typed)
        super().accept()
