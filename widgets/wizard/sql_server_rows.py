"""The rows that only SQL Server's targets have: authentication, encryption, replication.

Called by the editor of a target, which adds them among its own.
"""

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from engine.draft.sql_server_draft import AUTHENTICATION_TITLES, ENCRYPT_TITLES, SqlServerDraft
from engine.draft.target_draft import TargetDraft
from engine.target.sql_server_options import APPLICATION_INTENTS, INTEGRATED, SQL_LOGIN
from engine.target.target import MSSQL
from widgets.parts.form.fields import choice_field
from widgets.parts.form.row import Form

_AUTHENTICATION_HELP = {
    SQL_LOGIN: "A user and password of the server itself.",
    INTEGRATED: "As the account that runs Spindle; without a password.",
}
_ENCRYPT_HELP = {
    "yes": "Always encrypted.",
    "strict": "Encrypted from the first byte; needs SQL Server 2022 and ODBC Driver 18.",
    "no": "Only the login is encrypted; the rest can be read on the network.",
}
_CHECKED = "Its certificate must match the host name and come from a trusted authority."
NOT_VERIFIED = "The server is not verified: anyone in between can read and change everything. For your own lab only."
_MNEMONICS = {"encrypt": "e", "multi_subnet_failover": "t", "failover_partner": "f", "application_intent": "m"}
_ROWS = (
    "authentication",
    "encrypt",
    "trust_server_certificate",
    "multi_subnet_failover",
    "failover_partner",
    "application_intent",
)


class SqlServerRows:
    """Adds its rows to ``form`` where the editor wants them, and explains a target's choices."""

    def __init__(self, form: Form, parent: QWidget) -> None:
        self._form = form
        self._parent = parent

    def add_log_in(self) -> None:
        self.authentication = choice_field(self._parent)
        for name, title in AUTHENTICATION_TITLES.items():
            self.authentication.addItem(title, name)
        self._add("authentication", "Login", self.authentication)

    def add_encryption(self) -> None:
        self.encrypt = choice_field(self._parent)
        for name, title in ENCRYPT_TITLES.items():
            self.encrypt.addItem(title, name)
        self.trust = QCheckBox("Trust the server's certificate", self._parent)
        self._add("encrypt", "Encryption", self.encrypt)
        self._add("trust_server_certificate", "", self.trust)
        self.trust.setAccessibleName(self.trust.text())

    def add_listener(self) -> None:
        self.listener = QCheckBox("Try all addresses at once", self._parent)
        self.partner = QLineEdit(self._parent)
        self.partner.setPlaceholderText("none")
        self.intent = choice_field(self._parent)
        for intent in APPLICATION_INTENTS:
            self.intent.addItem(intent, intent)
        help_text = "MultiSubnetFailover, for an availability group's listener or a failover cluster."
        self._add("multi_subnet_failover", "Listener", self.listener, help_text)
        self.listener.setAccessibleName(f"Listener: {self.listener.text()}")
        help_text = "The mirror of a mirrored database: db2,1433. On Windows only."
        self._add("failover_partner", "Failover partner", self.partner, help_text)
        self._add("application_intent", "Application intent", self.intent)

    def show_target(self, target: TargetDraft) -> None:
        """Show the rows and texts for a SQL Server target; hide them for any other."""
        for name in _ROWS:
            self._form.rows[name].set_visible(target.kind == MSSQL)
        draft: SqlServerDraft = target.sql_server
        rows = self._form.rows
        rows["authentication"].set_help(_AUTHENTICATION_HELP.get(draft.authentication, ""))
        rows["encrypt"].set_help(_ENCRYPT_HELP.get(draft.encrypt, ""))
        trusts = draft.trust_server_certificate
        checked = _CHECKED if draft.encrypt != "no" else ""
        rows["trust_server_certificate"].set_help(NOT_VERIFIED if trusts else checked, is_warning=trusts)

    def _add(self, name: str, label: str, field: QWidget, help_text: str = "") -> None:
        self._form.add(name, label, field, help_text=help_text, bound=False, mnemonic=_MNEMONICS.get(name, ""))
        self._form.bind(f"sql_server.{name}", field)
