"""What only the targets of mail servers have: how messages are delivered, and who the users are."""

from dataclasses import dataclass

from engine.errors import BadInput
from engine.target.host import check_printable

LMTP, SMTP, SUBMISSION = "lmtp", "smtp", "submission"
DELIVERY_PORTS = {SUBMISSION: 587, SMTP: 25, LMTP: 24}


@dataclass(frozen=True, kw_only=True)
class MailOptions:
    """The options of a mail server's target.

    ``delivery`` is the protocol by which users send: ``submission`` logs in, ``smtp`` and ``lmtp`` do not.
    ``delivery_host`` is the server for it; empty is the one of IMAP. ``delivery_port`` of 0 is the protocol's.
    ``accounts`` is the path of a CSV file with each user's address, login and password; empty: the users are named for
    the target's user, with numbers from 1, and share its password. With ``trusts_certificate`` the servers'
    certificates are not checked.
    """

    delivery: str = SUBMISSION
    delivery_host: str = ""
    delivery_port: int = 0
    accounts: str = ""
    trusts_certificate: bool = False

    def __post_init__(self) -> None:
        if self.delivery not in DELIVERY_PORTS:
            raise BadInput(f"delivery is '{self.delivery}'; give one of {', '.join(DELIVERY_PORTS)}.")
        if not 0 <= self.delivery_port <= 65_535:
            raise BadInput(f"delivery_port is {self.delivery_port}; give one from 1 to 65535.")
        for name in ("delivery_host", "accounts"):
            check_printable(name, getattr(self, name))

    @property
    def port(self) -> int:
        """The port to deliver to."""
        return self.delivery_port or DELIVERY_PORTS[self.delivery]
