"""A mail server as a system under test; implements ``engine.databases.async_system.AsyncSystem``."""

from typing import TYPE_CHECKING

from engine.databases.async_system import AsyncSession
from engine.databases.database import Prober, Timeouts
from engine.secrets import Secret
from engine.target.target import Host, Target

if TYPE_CHECKING:
    from engine.services.mail.definition import MailboxDefinition
    from engine.services.mail.store import MailStore


class MailServer:
    """Any server of IMAP4rev1 that takes messages by LMTP, SMTP or submission."""

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
        """Nothing: all that is known of a mail server is in its users' mailboxes."""
