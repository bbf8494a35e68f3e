"""The fields of one way of reaching a machine, made from its parameters, and of its password."""

from PySide6.QtWidgets import QLineEdit, QWidget

from engine.draft.machine_draft import AccessDraft
from engine.machines.access import ACCESS_TYPES
from engine.secrets import Secret
from widgets.parts.form.parameter_form import ParameterForm
from widgets.parts.look import Look

_SECRET = "secret"  # noqa: S105 - the row's name


class AccessForm(ParameterForm):
    """Edits an ``AccessDraft`` in place."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._draft: AccessDraft | None = None
        self.password: QLineEdit | None = None
        self.edited.connect(self._read)

    def show_access(self, draft: AccessDraft | None) -> None:
        """Show the fields of an access; ``None`` shows nothing."""
        self._draft = None
        if self.password is not None:
            self.remove(_SECRET)
            self.password = None
        self.show_parameters(() if draft is None else draft.required)
        if draft is None:
            return
        if noun := ACCESS_TYPES[draft.kind].credential:
            self._add_password(noun.capitalize(), draft.secret)
        self.show_parameters((each for each in draft.parameters if each not in draft.required), keep=True)
        self.fill_typed(draft.typed)
        self._draft = draft
        self.show_errors(draft.validate())

    def _add_password(self, label: str, secret: Secret | None) -> None:
        self.password = QLineEdit("" if secret is None else secret.reveal(), self)
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.password.textEdited.connect(self._emit_edited)
        says = "Kept in the system's keyring, never in a file. Empty: as it is known now."
        self.add(_SECRET, label, self.password, help_text=says, bound=False)

    def _read(self) -> None:
        if self._draft is not None:
            self._draft.typed.update(self.typed())
            if self.password is not None:
                self._draft.secret = Secret(self.password.text()) if self.password.text() else None
            self.show_errors(self._draft.validate())
