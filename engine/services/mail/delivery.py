"""Sending a message: by LMTP (RFC 2033) over asyncio's streams, by SMTP and submission through aiosmtplib."""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from contextlib import suppress

from engine.errors import ErrorClass, TargetError
from engine.services.mail.accounts import Account
from engine.services.mail.failure import LOST, words_of
from engine.target.kinds import IMPLICIT_TLS, STARTTLS
from engine.target.mail_options import LMTP, SUBMISSION
from engine.target.target import Host, Target

_ERRORS_FROM = 400
_CONTINUES = b"-"
_LOCAL_NAME = "spindle.invalid"


class DeliveryFailed(Exception):  # noqa: N818 - becomes a TargetError
    """The message was not acknowledged. If ``was_sent`` is true, it may have been delivered nevertheless."""

    def __init__(self, error_class: ErrorClass, text: str, *, was_sent: bool) -> None:
        super().__init__(text)
        self.error_class = error_class
        self.was_sent = was_sent

    def as_target_error(self) -> TargetError:
        """The same as an error of a call, after which the user's IMAP connection can still be used."""
        return TargetError(self.error_class, str(self), undone=not self.was_sent)


class Delivery:
    """Sends the messages of one user, each over a connection of its own, as mail clients do."""

    def __init__(self, target: Target, host: Host, account: Account, tls: ssl.SSLContext | None) -> None:
        self._target = target
        self._host = Host(target.mail.delivery_host or host.name, target.mail.port)
        self._account = account
        self._tls = tls
        self._abort: Callable[[], None] | None = None

    def abort(self) -> None:
        """End the connection of a message that is being sent; on the loop's thread."""
        if self._abort is not None:
            self._abort()

    async def send(self, recipients: Sequence[str], content: bytes) -> tuple[str, ...]:
        """Send a message from the user; returns the server's refusal for each recipient, empty if it accepted the
        message.

        Raises ``DeliveryFailed``.
        """
        try:
            if self._target.mail.delivery == LMTP:
                return await self._by_lmtp(recipients, content)
            return await self._by_smtp(recipients, content)
        finally:
            self._abort = None

    async def _by_lmtp(self, recipients: Sequence[str], content: bytes) -> tuple[str, ...]:
        was_sent, writer = False, None
        try:
            reader, writer = await asyncio.open_connection(
                self._host.name, self._host.port, ssl=self._tls if self._target.tls == IMPLICIT_TLS else None
            )
            self._abort = writer.transport.abort
            await _expect(reader, self._host)
            await _say(reader, writer, self._host, b"LHLO " + _LOCAL_NAME.encode())
            await _say(reader, writer, self._host, b"MAIL FROM:<%s>" % self._account.address.encode())
            refusals = []
            for each in recipients:
                writer.write(b"RCPT TO:<%s>\r\n" % each.encode())
            for _ in recipients:
                code, text = await _reply(reader)
                refusals.append(text if code >= _ERRORS_FROM else "")
            if not all(refusals):
                await _say(reader, writer, self._host, b"DATA")
                was_sent = True
                writer.write(_stuffed(content))
                await writer.drain()
                for place, refusal in enumerate(refusals):
                    if not refusal:
                        code, text = await _reply(reader)
                        refusals[place] = text if code >= _ERRORS_FROM else ""
            writer.write(b"QUIT\r\n")
            return tuple(refusals)
        except LOST as error:
            text = f"the connection to {self._host} was lost while a message was sent ({words_of(error)})"
            raise DeliveryFailed(ErrorClass.CONNECTION_LOST, text, was_sent=was_sent) from None
        finally:
            if writer is not None:
                writer.close()

    async def _by_smtp(self, recipients: Sequence[str], content: bytes) -> tuple[str, ...]:
        import aiosmtplib  # slow to load, and not needed with LMTP

        login = self._account if self._target.mail.delivery == SUBMISSION else None
        client = aiosmtplib.SMTP(
            hostname=self._host.name,
            port=self._host.port,
            local_hostname=_LOCAL_NAME,
            timeout=None,
            use_tls=self._target.tls == IMPLICIT_TLS,
            start_tls=self._target.tls == STARTTLS,
            tls_context=self._tls,
            username=None if login is None else login.login,
            password=None if login is None else login.password.reveal(),
        )

        def end() -> None:
            """Close the connection at once. Closing TLS in the usual way waits for the server, which may be frozen."""
            transport = client.transport
            client.close()
            if isinstance(transport, asyncio.WriteTransport):
                transport.abort()

        self._abort = end
        was_sent = False
        try:
            await client.connect()
            was_sent = True  # if the connection is lost from now on, the message may have been sent
            refused, _ = await client.sendmail(self._account.address, list(recipients), content)
            with suppress(aiosmtplib.SMTPException, *LOST):
                await client.execute_command(b"QUIT")  # the message is acknowledged, even if this fails
            return tuple(_refusal(refused.get(each)) for each in recipients)
        except aiosmtplib.SMTPRecipientsRefused as error:
            by_address = {each.recipient: each.message for each in error.recipients}
            return tuple(by_address.get(each, "refused") for each in recipients)
        except aiosmtplib.SMTPResponseException as error:
            text = f"{self._host} refused a message: {error.code} {self._masked(error.message)}"
            raise DeliveryFailed(ErrorClass.OTHER, text, was_sent=False) from None
        except (aiosmtplib.SMTPException, *LOST) as error:
            text = f"the connection to {self._host} was lost while a message was sent ({self._masked(words_of(error))})"
            raise DeliveryFailed(ErrorClass.CONNECTION_LOST, text, was_sent=was_sent) from None
        finally:
            end()

    def _masked(self, text: str) -> str:
        return text.replace(self._account.password.reveal(), "…")


def _refusal(reply: object) -> str:
    return "" if reply is None else str(getattr(reply, "message", reply)) or "refused"


async def _say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: Host, line: bytes) -> None:
    writer.write(line + b"\r\n")
    await writer.drain()
    await _expect(reader, host)


async def _expect(reader: asyncio.StreamReader, host: Host) -> None:
    """Read a reply; raises ``DeliveryFailed`` for one that is an error."""
    code, text = await _reply(reader)
    if code >= _ERRORS_FROM:
        raise DeliveryFailed(ErrorClass.OTHER, f"{host} refused a message: {text}", was_sent=False)


async def _reply(reader: asyncio.StreamReader) -> tuple[int, str]:
    """A reply, which may have several lines: its code, and the last line with its code."""
    while True:
        line = await reader.readuntil(b"\n")
        if not line[:3].isdigit():
            raise ConnectionResetError(f"{line[:40]!r} is no reply")
        if line[3:4] != _CONTINUES:
            return int(line[:3]), line.decode(errors="replace").strip()


def _stuffed(content: bytes) -> bytes:
    """The data of a message: lines that begin with a dot have a second one, and a dot ends it."""
    stuffed = content.replace(b"\r\n.", b"\r\n..")
    if stuffed.startswith(b"."):
        stuffed = b"." + stuffed
    return stuffed + (b"" if stuffed.endswith(b"\r\n") else b"\r\n") + b".\r\n"
