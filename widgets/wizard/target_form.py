"""The editor of one target: kind, hosts, database, user, password, TLS mode, label.

The embedded server needs nothing: instead of a server's fields it shows how many servers it is, and who promotes a
standby. The password is told as it is typed and is part of no draft.
"""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from engine.draft import FAILOVER_HELP, FAILOVER_TITLES, KINDS, LAB_CHOICES, TargetDraft, kind_of, lab_choice
from engine.errors import BadInput
from engine.secrets import Secret
from engine.target import TLS_MODES, Target
from widgets.parts.form_fields import choice_field
from widgets.parts.form_row import Form
from widgets.parts.look import Look

_SERVER_ROWS = ("hosts", "user", "password", "tls")
_TLS_HELP = {
    "disable": "Never encrypted.",
    "allow": "Encrypted only if the server insists.",
    "prefer": "Encrypted if the server can.",
    "require": "Always encrypted, with any certificate.",
    "verify-ca": "Always encrypted, with a certificate of a known authority.",
    "verify-full": "Always encrypted, with a certificate of a known authority for this host's name.",
}


class TargetForm(QWidget):
    """``edited``: a field of the target changed. ``password_typed``: the password as it now stands, and keep it?"""

    edited = Signal()
    password_typed = Signal(Secret, bool)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._target = TargetDraft()
        self.form = Form(look, self)
        self.kind = choice_field(self)
        for kind in KINDS:
            self.kind.addItem(kind.title, kind.kind)
        self.hosts, self.database, self.user, self.password = (QLineEdit(self) for _ in range(4))
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.keep = QCheckBox("Keep in keyring", self)
        self.tls = choice_field(self)
        for mode in TLS_MODES:
            self.tls.addItem(mode, mode)
        self.shape, self.failover = choice_field(self), choice_field(self)
        for choice in LAB_CHOICES:
            self.shape.addItem(choice.title, choice.name)
        for mode, title in FAILOVER_TITLES.items():
            self.failover.addItem(title, mode)
        self.label = QLineEdit(self)
        self._add_rows()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.form)
        self.form.edited.connect(self._read)
        self.hosts.editingFinished.connect(self._take_url)
        self.password.textEdited.connect(self._tell_password)
        self.keep.clicked.connect(self._tell_password)

    def load(self, target: TargetDraft, password: Secret | None, keep: bool) -> None:
        """Show this target and edit it from now on."""
        self._target = target
        self.form.fill(target)
        typed = password.reveal() if password is not None else ""
        if self.password.text() != typed:
            self.password.setText(typed)
        self.keep.setChecked(keep)
        self._show_kind()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)

    def _add_rows(self) -> None:
        form = self.form
        form.add("kind", "Kind", self.kind)
        form.add("shape", "Servers", self.shape)
        form.add("failover", "Failover", self.failover)
        form.add("hosts", "Hosts", self.hosts, help_text="One server, or several that may take over: db1:5432, db2.")
        form.add("database", "Database", self.database)
        form.add("user", "User", self.user)
        holder = QWidget(self)
        password = QVBoxLayout(holder)
        password.setContentsMargins(0, 0, 0, 0)
        password.addWidget(self.password)
        password.addWidget(self.keep)
        form.add("password", "Password", self.password, holder=holder, bound=False)
        form.add("tls", "TLS", self.tls)
        form.add("label", "Label", self.label, help_text="What its clients are called; empty: the database's name.")

    def _read(self) -> None:
        self.form.read_into(self._target)
        self._show_kind()
        self.edited.emit()

    def _take_url(self) -> None:
        """A whole URL that was typed or pasted as the hosts fills all fields."""
        url = self.hosts.text()
        if "://" not in url:
            return
        try:
            target, password = Target.parse(url)
        except BadInput:
            return
        self.form.fill(TargetDraft.from_target(target.with_label(self.label.text())))
        self._read()
        if password is not None:
            self.password.setText(password.reveal())
            self._tell_password()

    def _show_kind(self) -> None:
        kind = kind_of(self._target.kind)
        for name in _SERVER_ROWS:
            self.form.rows[name].set_visible(kind.has_server)
        choice = lab_choice(self._target.shape)
        self.form.rows["shape"].set_help(choice.says)
        self.form.rows["shape"].set_visible(not kind.has_server)
        self.form.rows["failover"].set_help(FAILOVER_HELP[self._target.failover])
        self.form.rows["failover"].set_visible(not kind.has_server and choice.nodes > 1)
        self.hosts.setPlaceholderText(f"db1:{kind.port}" if kind.port else "")
        self.user.setPlaceholderText(kind.user)
        self.form.rows["tls"].set_help(_TLS_HELP.get(self._target.tls, ""))

    def _tell_password(self) -> None:
        self.password_typed.emit(Secret(self.password.text()), self.keep.isChecked())
