"""One connection to an IMAP server, for one command at a time.

Called on the loop of ``asyncio`` that it was opened on; ``abort`` from any thread. A command that the server rejects
raises ``ImapRejected``, after which the connection can be used; a lost connection is ``ConnectionError``.
"""

import asyncio
import itertools
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from engine.services.mail.imap.responses import BadResponse, Response, literal_size, quoted

_LONGEST_LINE = 16 * 2**20  # a SEARCH of a million messages is one line
_LONGEST_LITERAL = 2**30
_CLOSE_SECONDS = 1.0


class ImapRejected(Exception):  # noqa: N818 - an answer of the server
    """The server answered NO, BAD or BYE, with this text and code, such as ``OVERQUOTA``."""

    def __init__(self, text: str, code: str) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


@dataclass(frozen=True)
class Mailbox:
    """The state of a mailbox when it was selected: its number of messages, and the least UID of the next one
    (UIDNEXT)."""

    exists: int
    uid_next: int


class _Reader(asyncio.StreamReader):
    """A reader whose future ``ended`` is done when the connection has ended, even if nothing is being read."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        super().__init__(limit=_LONGEST_LINE, loop=loop)
        self.ended: asyncio.Future[None] = loop.create_future()

    def feed_eof(self) -> None:
        super().feed_eof()
        self._end()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self._end()

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class ImapClient:
    """A connection.

    ``exists`` is the number of messages that the selected mailbox has now, ``received`` counts the responses so far and
    their bytes, and the future ``ended`` is done when the connection has ended.
    """

    def __init__(self, reader: _Reader, writer: asyncio.StreamWriter) -> None:
        self.ended = reader.ended
        self._reader = reader
        self._writer = writer
        self._tags = itertools.count(1)
        self.capabilities: frozenset[str] = frozenset()
        self.greeting = ""
        self.exists = 0
        self.received = (0, 0)

    @classmethod
    async def connect(
        cls, host: str, port: int, *, tls: ssl.SSLContext | None = None, starttls: bool = False
    ) -> "ImapClient":
        """Connect and read the greeting; with ``tls`` from the beginning, or after STARTTLS."""
        loop, reader = asyncio.get_running_loop(), _Reader()
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        transport, _ = await loop.create_connection(
            lambda: protocol, host, port, ssl=None if starttls else tls, server_hostname=_name(host, tls, starttls)
        )
        client = cls(reader, asyncio.StreamWriter(transport, protocol, reader, loop))
        try:
            await client._greet()
            if starttls and tls is not None:
                await client.command(b"STARTTLS")
                await client._writer.start_tls(tls, server_hostname=host)
                client.capabilities = frozenset()  # an attacker may have sent those from before TLS
        except BaseException:
            client.abort()
            raise
        return client

    async def _greet(self) -> None:
        greeting = await self._response()
        if greeting.name not in (b"OK", b"PREAUTH"):
            raise ImapRejected(greeting.text, greeting.code)
        self.greeting = greeting.text
        self._note(greeting)

    async def login(self, user: str, password: str) -> None:
        """LOGIN; raises ``ImapRejected``, whose text does not contain the password."""
        capabilities = self.capabilities or await self.capability()
        if "LOGINDISABLED" in capabilities:
            raise ImapRejected("the server takes no passwords without TLS", "PRIVACYREQUIRED")
        self.capabilities = frozenset()
        try:
            await self.command(b"LOGIN", *map(_astring, (user, password)))
        except ImapRejected as error:
            raise ImapRejected(error.text.replace(password, "…") if password else error.text, error.code) from None
        if not self.capabilities:
            await self.capability()

    async def capability(self) -> frozenset[str]:
        await self.command(b"CAPABILITY")
        return self.capabilities

    async def noop(self) -> None:
        await self.command(b"NOOP")

    async def create(self, mailbox: str) -> None:
        await self.command(b"CREATE", quoted(mailbox))

    async def delete(self, mailbox: str) -> None:
        await self.command(b"DELETE", quoted(mailbox))

    async def mailboxes(self, pattern: str) -> list[str]:
        """The names of the mailboxes that LIST finds."""
        found = await self.command(b"LIST", b'""', quoted(pattern))
        names = [each.values()[-1] for each in found if each.name == b"LIST"]
        return [name.decode(errors="replace") for name in names if isinstance(name, bytes)]

    async def select(self, mailbox: str) -> Mailbox:
        self.exists = 0
        found = await self.command(b"SELECT", quoted(mailbox))
        codes = dict(each.code.split(" ", 1) for each in found if " " in each.code)
        return Mailbox(self.exists, int(codes.get("UIDNEXT", "0")))

    async def status(self, mailbox: str) -> int:
        """The number of messages in a mailbox, which need not be selected."""
        for each in await self.command(b"STATUS", quoted(mailbox), b"(MESSAGES)"):
            values = each.values()
            if each.name == b"STATUS" and isinstance(counts := values[-1], list) and isinstance(counts[-1], bytes):
                return int(counts[-1])
        raise BadResponse("STATUS was not answered")

    async def search(self, criteria: bytes) -> list[int]:
        """The UIDs of the messages that UID SEARCH finds."""
        found = await self.command(b"UID SEARCH", criteria)
        return [int(uid) for each in found if each.name == b"SEARCH" for uid in each.words[1:]]

    async def fetch(self, messages: str, items: bytes, *, by_uid: bool = True) -> list[dict[bytes, object]]:
        """FETCH: the items of each message, with its UID; ``messages`` is a set such as ``1:*``."""
        found = await self.command(b"UID FETCH" if by_uid else b"FETCH", messages.encode(), items)
        return [dict(each.fetched()) for each in found if each.name == b"FETCH"]

    async def store(self, messages: str, change: bytes) -> None:
        """UID STORE, without an answer for each message: ``change`` such as ``+FLAGS (\\Seen)``."""
        operation, _, flags = change.partition(b" ")
        await self.command(b"UID STORE", messages.encode(), operation + b".SILENT", flags)

    async def copy(self, messages: str, mailbox: str) -> None:
        await self.command(b"UID COPY", messages.encode(), quoted(mailbox))

    async def move(self, messages: str, mailbox: str) -> None:
        """UID MOVE (RFC 6851); copy and remove on a server without it."""
        if "MOVE" in self.capabilities:
            await self.command(b"UID MOVE", messages.encode(), quoted(mailbox))
            return
        await self.copy(messages, mailbox)
        await self.expunge(messages)

    async def expunge(self, messages: str) -> None:
        """Remove these messages. On a server without UIDPLUS, other messages that are marked as deleted are removed
        too."""
        await self.store(messages, rb"+FLAGS (\Deleted)")
        if "UIDPLUS" in self.capabilities:
            await self.command(b"UID EXPUNGE", messages.encode())
        else:
            await self.command(b"EXPUNGE")

    async def append(self, mailbox: str, contents: Sequence[bytes], flags: bytes = rb"(\Seen)") -> None:
        """APPEND messages; several in one command where the server has MULTIAPPEND."""
        together = len(contents) if "MULTIAPPEND" in self.capabilities else 1
        for first in range(0, len(contents), together):
            arguments = [each for content in contents[first : first + together] for each in (flags, content)]
            await self.command(
                b"APPEND", quoted(mailbox), *arguments, literals=frozenset(range(2, 1 + len(arguments), 2))
            )

    async def logout(self) -> None:
        """LOGOUT, and close the connection."""
        with suppress(ImapRejected, OSError, asyncio.IncompleteReadError):
            await self.command(b"LOGOUT")
        self.close()
        with suppress(OSError):  # among them the time-out
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._writer.wait_closed()

    def close(self) -> None:
        self._writer.close()

    def abort(self) -> None:
        """End the connection at once, unless it is being closed; on the loop's thread."""
        if not self._writer.is_closing():
            self._writer.transport.abort()

    async def command(self, name: bytes, *arguments: bytes, literals: frozenset[int] = frozenset()) -> list[Response]:
        """Send a command; returns the untagged responses to it. ``literals`` are the positions of arguments to send as
        literals."""
        tag = b"s%d" % next(self._tags)
        self._writer.write(tag + b" " + name)
        for place, argument in enumerate(arguments):
            if place in literals:
                await self._write_literal(argument)
            else:
                self._writer.write(b" " + argument)
        self._writer.write(b"\r\n")
        await self._writer.drain()
        untagged: list[Response] = []
        while True:
            response = await self._response()
            if response.tag == tag:
                self._note(response)
                if response.name != b"OK":
                    raise ImapRejected(response.text, response.code)
                return untagged
            if response.name == b"BYE" and name != b"LOGOUT":
                raise ConnectionResetError(f"the server ended the session: {response.text}")
            self._note(response)
            untagged.append(response)

    async def _write_literal(self, content: bytes) -> None:
        if "LITERAL+" in self.capabilities:
            self._writer.write(b" {%d+}\r\n" % len(content) + content)
            return
        self._writer.write(b" {%d}\r\n" % len(content))
        await self._writer.drain()
        while (response := await self._response()).tag != b"+":
            if response.tag != b"*":
                raise ImapRejected(response.text, response.code)
            self._note(response)
        self._writer.write(content)

    async def _response(self) -> Response:
        parts = [await self._line()]
        while (size := literal_size(parts[-1])) is not None:
            if size > _LONGEST_LITERAL:
                raise BadResponse(f"a literal of {size} bytes is too long")
            parts.append(await self._reader.readexactly(size))
            parts.append(await self._line())
        count, octets = self.received
        self.received = count + 1, octets + sum(map(len, parts))
        return Response(tuple(parts))

    async def _line(self) -> bytes:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            raise ConnectionResetError("the server closed the connection") from error
        except asyncio.LimitOverrunError as error:
            raise BadResponse("a line is too long") from error
        return line.rstrip(b"\r\n")

    def _note(self, response: Response) -> None:
        """Store what any response may contain: capabilities, and the number of messages."""
        name = response.name
        if name == b"EXISTS":
            self.exists = response.number
        elif name == b"EXPUNGE":
            self.exists -= 1
        elif name == b"CAPABILITY":
            self.capabilities = _upper(response.parts[0].decode(errors="replace").split()[2:])
        elif response.code.upper().startswith("CAPABILITY "):
            self.capabilities = _upper(response.code.split()[1:])


def _name(host: str, tls: ssl.SSLContext | None, starttls: bool) -> str | None:
    return host if tls is not None and not starttls else None


def _upper(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word.upper() for word in words)


def _astring(text: str) -> bytes:
    """An argument of LOGIN as a quoted string, which all servers accept."""
    if not text.isprintable():
        raise ImapRejected("a user's name or password has control characters", "")
    return quoted(text)
