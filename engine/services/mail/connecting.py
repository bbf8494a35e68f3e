"""Opens logged-in IMAP connections to a target's hosts."""

import asyncio
import ssl
from contextlib import suppress

from engine.errors import ErrorClass, TargetError, UserError
from engine.services.mail.accounts import Account
from engine.services.mail.failure import as_target_error
from engine.services.mail.imap.client import ImapClient
from engine.target.kinds import DISABLE, STARTTLS
from engine.target.target import Host, Target


def tls_context(target: Target) -> ssl.SSLContext | None:
    """The TLS context of a target's connections; ``None`` if they are not encrypted. Raises ``UserError``."""
    if target.tls == DISABLE:
        return None
    try:
        context = ssl.create_default_context(cafile=target.ca_file or None)
    except (OSError, ssl.SSLError) as error:
        raise UserError(f"sslrootcert {target.ca_file} can't be read ({error}); give a file of certificates.") from None
    if target.mail.trusts_certificate:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def log_in(
    target: Target, account: Account, connect_seconds: float, *, tls: ssl.SSLContext | None, first_host: int = 0
) -> tuple[ImapClient, Host]:
    """A logged-in connection to the first of the target's hosts that answers, beginning with ``first_host``.

    If none does, the ``TargetError`` of the last one is raised.
    """
    *others, last = (target.hosts[(first_host + place) % len(target.hosts)] for place in range(len(target.hosts)))
    for host in others:
        with suppress(TargetError):
            return await _log_in_at(target, host, account, connect_seconds, tls), host
    return await _log_in_at(target, last, account, connect_seconds, tls), last


async def _log_in_at(
    target: Target, host: Host, account: Account, connect_seconds: float, tls: ssl.SSLContext | None
) -> ImapClient:
    client: ImapClient | None = None
    try:
        with as_target_error(host, "logging a user in"):
            async with asyncio.timeout(connect_seconds):
                client = await ImapClient.connect(host.name, host.port, tls=tls, starttls=target.tls == STARTTLS)
                await client.login(account.login, account.password.reveal())
            return client
    except BaseException as error:
        if client is not None:
            client.abort()
        if isinstance(error, TargetError) and error.error_class is ErrorClass.OTHER:
            raise TargetError(error.error_class, error.cause, code=error.code, usable=False, undone=True) from None
        raise
