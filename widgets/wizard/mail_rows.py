"""The rows that only a mail server's targets have: the trust in its certificate, how users send, and who they are.

Called by the editor of a target, which adds them among its own.
"""

from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from engine.draft.target_draft import TargetDraft
from engine.target.kinds import DISABLE
from engine.target.target import MAIL
from widgets.parts.form.row import Form
from widgets.wizard.sql_server_rows import NOT_VERIFIED

_CHECKED = "Its certificate must match the host name and come from a trusted authority."
_DELIVERY_HELP = "How users send: submission, smtp or lmtp; another port or host as in lmtp:24 and lmtp:mail1:24."
_ACCOUNTS_HELP = "CSV file with each user's address and password; empty: user1, user2 …, all with the password above."


class MailRows:
    """Adds its rows to ``form`` where the editor wants them, and explains a target's choices."""

    def __init__(self, form: Form, parent: QWidget) -> None:
        self._form = form
        self._parent = parent

    def add_trust(self) -> None:
        self.trust = QCheckBox("Trust the mail server's certificate", self._parent)
        self._form.add("trust_certificate", "", self.trust)
        self.trust.setAccessibleName(self.trust.text())

    def add_delivery(self) -> None:
        self.delivery, self.accounts = QLineEdit(self._parent), QLineEdit(self._parent)
        self._form.add("delivery", "Delivery", self.delivery, help_text=_DELIVERY_HELP, mnemonic="e")
        self._form.add("accounts", "Accounts", self.accounts, help_text=_ACCOUNTS_HELP, mnemonic="c")

    def show_target(self, target: TargetDraft) -> None:
        """Show the rows and texts for a mail server's target; hide them for any other."""
        rows, is_mail = self._form.rows, target.kind == MAIL
        rows["trust_certificate"].set_visible(is_mail and target.tls != DISABLE)
        trusts = target.trust_certificate
        rows["trust_certificate"].set_help(NOT_VERIFIED if trusts else _CHECKED, is_warning=trusts)
        for name in ("delivery", "accounts"):
            rows[name].set_visible(is_mail)
        rows["database"].set_label("Domain" if is_mail else "Database", mnemonic="d")
        rows["database"].set_help("The domain of the users' addresses." if is_mail else "")
        rows["user"].set_help("Users are named for it, with numbers from 1: user1, user2 …" if is_mail else "")
