"""The editor of one target: kind, hosts, database, user, password, encryption, driver, label.

Each kind shows the fields that it needs. The embedded server needs none: instead it offers the number of servers, and
who promotes a standby. The password is emitted as it is typed and is part of no draft.
"""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from engine.draft.lab_choices import FAILOVER_HELP, FAILOVER_TITLES, LAB_CHOICES, lab_choice
from engine.draft.target_draft import KINDS, TargetDraft, kind_of
from engine.errors import BadInput
from engine.secrets import Secret
from engine.target.installed_drivers import InstalledDrivers
from engine.target.target import EMBEDDED, MAIL, POSTGRESQL, STORAGE, Target
from widgets.parts.form.fields import choice_field
from widgets.parts.form.row import Form
from widgets.parts.look import Look
from widgets.wizard.driver_row import DriverRow
from widgets.wizard.machine_field import MachineField
from widgets.wizard.mail_rows import MailRows
from widgets.wizard.sql_server_rows import SqlServerRows

_TLS_HELP = {
    "disable": "Never encrypted.",
    "allow": "Encrypted only if the server insists.",
    "prefer": "Encrypted if the server can.",
    "require": "Always encrypted, with any certificate.",
    "verify-ca": "Always encrypted, with a certificate from a trusted authority.",
    "verify-full": "Always encrypted, with a certificate from a trusted authority that matches the host name.",
    "starttls": "Encrypted after STARTTLS, as on port 143.",
    "tls": "Encrypted from the beginning, as on port 993.",
}


class TargetForm(QWidget):
    """``edited``: a field of the target changed. ``password_typed`` carries the present password, and whether to store
    it.

    ``drivers_requested``: a kind is shown that needs an ODBC driver; ``show_drivers`` sets the installed ones.
    ``machines_requested``: a machine may be chosen; ``offer_machines`` sets those of the inventory.
    """

    edited = Signal()
    password_typed = Signal(Secret, bool)
    drivers_requested = Signal()
    machines_requested = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._target = TargetDraft()
        self.form = Form(look, self)
        self._add_what()
        self.sql_server, self.mail = SqlServerRows(self.form, self), MailRows(self.form, self)
        self.sql_server.add_log_in()
        self._add_log_in()
        self._add_tls()
        self.sql_server.add_encryption()
        self.driver = DriverRow(self.form, self)
        self.sql_server.add_listener()
        self.label = QLineEdit(self)
        help_text = "Name of its clients in charts and tables; empty: that of its database, domain or file."
        self.form.add("label", "Label", self.label, help_text=help_text, mnemonic="l")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.form)
        self.form.edited.connect(self._read)
        self.hosts.editingFinished.connect(self._take_url)
        self.password.textEdited.connect(self._emit_password)
        self.keep.clicked.connect(self._emit_password)

    def load(self, target: TargetDraft, password: Secret | None, keep: bool) -> None:
        """Show this target and edit it from now on."""
        self._target = target
        self._fill()
        typed = password.reveal() if password is not None else ""
        if self.password.text() != typed:
            self.password.setText(typed)
        self.keep.setChecked(keep)
        self._request_choices()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        self.form.show_errors(errors)

    def show_drivers(self, found: Mapping[str, InstalledDrivers]) -> None:
        """The installed ODBC drivers, by the kinds of targets."""
        self.driver.take_drivers(found)
        self.driver.show_target(self._target)

    def offer_machines(self, machines: Mapping[str, str]) -> None:
        """The machines of the inventory, each with why its storage can't be driven."""
        self.machine.offer(machines)
        self._show_kind()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._request_choices()

    def _add_what(self) -> None:
        form = self.form
        self.kind, self.shape, self.failover = (choice_field(self) for _ in range(3))
        self.hosts, self.database = QLineEdit(self), QLineEdit(self)
        for kind in KINDS:
            self.kind.addItem(kind.title, kind.kind)
        for choice in LAB_CHOICES:
            self.shape.addItem(choice.title, choice.name)
        for mode, title in FAILOVER_TITLES.items():
            self.failover.addItem(title, mode)
        form.add("kind", "Kind", self.kind, mnemonic="k")
        form.add("shape", "Servers", self.shape, mnemonic="v")
        form.add("failover", "Failover", self.failover, mnemonic="f")
        form.add("hosts", "Hosts", self.hosts, mnemonic="h")
        form.add("database", "Database", self.database, mnemonic="d")
        self.file, self.device = QLineEdit(self), QLineEdit(self)
        self.machine = MachineField(self._look, self)
        self.file.setPlaceholderText("/data/spindle-file")
        help_text = "A run that finds none writes it, and removes it at its end; one that was built stays."
        form.add("file", "File", self.file, help_text=help_text, mnemonic="i")
        form.add("machine", "Machine", self.machine, help_text=self.machine.help)
        help_text = "Only if the file is a device: its name once more, such as sdb. All data on it are overwritten."
        form.add("device", "Device", self.device, help_text=help_text)

    def _add_log_in(self) -> None:
        self.user = QLineEdit(self)
        self.form.add("user", "User", self.user, mnemonic="u")
        holder = QWidget(self)
        self.password = QLineEdit(holder)
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.keep = QCheckBox("Keep &in keyring", holder)
        password = QVBoxLayout(holder)
        password.setContentsMargins(0, 0, 0, 0)
        password.addWidget(self.password)
        password.addWidget(self.keep)
        self.form.add("password", "Password", self.password, holder=holder, bound=False, mnemonic="p")

    def _add_tls(self) -> None:
        self.tls = choice_field(self)
        self._offer_modes(POSTGRESQL)
        self.form.add("tls", "TLS", self.tls, mnemonic="t")
        self.mail.add_trust()
        self.ca_file = QLineEdit(self)
        help_text = "PEM file of the authority that signed the server's certificate; empty: the system's authorities."
        self.form.add("ca_file", "CA file", self.ca_file, help_text=help_text, mnemonic="a")
        self.mail.add_delivery()

    def _read(self) -> None:
        before = self._target.kind
        self.form.read_into(self._target)
        if self._target.kind != before:
            self._target.suit_kind()
            self._fill()
            self._request_choices()
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
        self._offer_modes(target.kind)
        self.driver.show_target(TargetDraft.from_target(target))
        self.form.fill(TargetDraft.from_target(target.with_label(self.label.text())))
        self._read()
        if password is not None:
            self.password.setText(password.reveal())
            self._emit_password()

    def _fill(self) -> None:
        self._offer_modes(self._target.kind)
        self.driver.show_target(self._target)
        self.form.fill(self._target)
        self._show_kind()

    def _offer_modes(self, kind: str) -> None:
        """Offer the TLS modes of a kind; while the field is hidden, the present mode must be among them."""
        modes = kind_of(kind).tls_modes or kind_of(POSTGRESQL).tls_modes
        if modes != tuple(self.tls.itemData(place) for place in range(self.tls.count())):
            self.tls.clear()
            for mode in modes:
                self.tls.addItem(mode, mode)

    def _show_kind(self) -> None:
        target, kind, rows = self._target, kind_of(self._target.kind), self.form.rows
        rows["hosts"].set_visible(kind.has_server)
        rows["hosts"].set_help(f"One server, or all servers of a failover group: {kind.hosts_example}.")
        for name in ("user", "password"):
            rows[name].set_visible(target.takes_password)
        rows["tls"].set_visible(bool(kind.tls_modes))
        rows["ca_file"].set_visible(target.takes_ca_file)
        rows["database"].set_visible(target.kind != STORAGE)
        for name in ("file", "machine", "device"):
            rows[name].set_visible(target.kind == STORAGE)
        rows["machine"].set_help(self.machine.help)
        rows["tls"].set_help(_TLS_HELP.get(target.tls, ""))
        choice = lab_choice(target.shape)
        rows["shape"].set_help(choice.says)
        rows["shape"].set_visible(target.kind == EMBEDDED)
        rows["failover"].set_help(FAILOVER_HELP[target.failover])
        rows["failover"].set_visible(target.kind == EMBEDDED and choice.nodes > 1)
        host = "mail1" if target.kind == MAIL else "db1"
        self.hosts.setPlaceholderText(f"{host}:{kind.port}" if kind.port else "")
        self.user.setPlaceholderText(kind.user)
        self.sql_server.show_target(target)
        self.mail.show_target(target)
        self.driver.show_target(target)

    def _request_choices(self) -> None:
        """Ask for what can be chosen from, for a kind that is shown."""
        if not self.isVisible():
            return
        if kind_of(self._target.kind).is_odbc:
            self.drivers_requested.emit()
        if self._target.kind == STORAGE:
            self.machines_requested.emit()

    def _emit_password(self) -> None:
        self.password_typed.emit(Secret(self.password.text()), self.keep.isChecked())
