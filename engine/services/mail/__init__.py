"""A mail server as a system under test: IMAP for mailboxes, and LMTP, SMTP or submission for what users send."""

from typing import TYPE_CHECKING

from engine.databases.database import AsyncSession, Prober, Timeouts
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.services.mail.definition import MailboxDefinition
    from engine.services.mail.store import MailStore


class MailServer:
    """Any server of IMAP4rev1; implements ``engine.databases.database.AsyncSystem``."""

    def driver(self, target: Target) -> str:
        return f"IMAP4rev1 and {target.mail.delivery}"

    async def open_session(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, user: int, *, first_host: int = 0
    ) -> AsyncSession:
        from engine.services.mail.session import open_session

        return await open_session(target, secret, timeouts, user, first_host=first_host)

    def store(
        self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: "MailboxDefinition"
    ) -> "MailStore":
        from engine.services.mail.store import MailStore

        return MailStore(target, secret, timeouts, definition)

    def prober(self, target: Target, host: Host, secret: Secret | None) -> Prober:
        from engine.services.mail.prober import MailProber

        return MailProber(target, host, secret)

    def probed(self, target: Target) -> Target:
        return target

    def elsewhere(self, target: Target) -> None:
        """The first user's mailbox is all that can be looked at."""
