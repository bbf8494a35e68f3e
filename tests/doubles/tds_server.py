"""A listener that speaks as much of TDS 7.4 as it takes to let a real driver in, or to refuse it, and to answer calls.

It knows no SQL: it proves what real drivers send and how they tell what a server says, on this machine without a SQL
Server. The formats are those of Microsoft's "[MS-TDS]: Tabular Data Stream Protocol".
"""

import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_HEADER = struct.Struct(">BBHHBB")
_BATCH, _RPC, _REPLY, _ATTENTION, _TRANSACTION, _LOGIN, _PRELOGIN = 0x01, 0x03, 0x04, 0x06, 0x0E, 0x10, 0x12
_BY_NUMBER = b"\xff\xff"  # in place of the length of a procedure's name
_BEGIN = 5
_PRELOGIN_REPLY = bytes.fromhex("00 0010 0006 01 0016 0001 04 0017 0001 ff 0f000000 0000 02 00".replace(" ", ""))
_DONE, _DONE_PROC, _ERROR, _INFO_OF_DONE = 0xFD, 0xFE, 0xAA, struct.Struct("<BHHQ")
_WITH_ERROR, _OF_ATTENTION, _WITH_COUNT = 0x02, 0x20, 0x10
_FIELDS = {"host": 36, "user": 40, "password": 44, "application": 48, "server": 52, "database": 68}
_TYPE_FLAGS, _READ_ONLY_INTENT = 26, 0x20
Error = tuple[int, str]


@dataclass
class TdsServer:
    """The listener's answers, and a record of what it received. Errors are numbers with their texts.

    ``calls`` are the procedures called, and ``arguments`` what each was given, whole numbers and texts.
    ``prepared`` are the requests that prepare or execute statements, as they came. ``refusal`` are the errors of every
    login; ``errors`` those of every procedure called; ``number`` is otherwise the
    one value that it answers with. With ``hangs`` a call is never answered, and with ``dies`` the connection is reset.
    """

    port: int
    refusal: Sequence[Error] = ()
    errors: Sequence[Error] = ()
    number: int | None = None
    hangs: bool = False
    dies: bool = False
    logins: list[dict[str, str]] = field(default_factory=list)
    batches: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    arguments: list[list[int | str]] = field(default_factory=list)
    prepared: list[bytes] = field(default_factory=list)
    in_call: threading.Event = field(default_factory=threading.Event)
    clients: list[socket.socket] = field(default_factory=list)

    def hang_up(self) -> None:
        """End every client's connection, as a server that is killed does; new ones are let in."""
        while self.clients:
            with suppress(OSError):
                self.clients.pop().shutdown(socket.SHUT_RDWR)

    def serve(self, client: socket.socket) -> None:
        """Talk to one client until it goes, or is sent away."""
        with client:
            while (packet := _packet(client)) is not None:
                kind, body = packet
                reply = self._reply(kind, body)
                if reply is None:
                    return
                if reply:
                    client.sendall(_HEADER.pack(_REPLY, 1, _HEADER.size + len(reply), 0, 1, 0) + reply)

    def _reply(self, kind: int, body: bytes) -> bytes | None:
        """Tokens to send, none to stay silent, ``None`` to end the connection."""
        if kind == _PRELOGIN:
            return _PRELOGIN_REPLY
        if kind == _LOGIN:
            self.logins.append(_login(body))
            return _errors(self.refusal) + _done(_DONE, _WITH_ERROR) if self.refusal else _LOGIN_ACK + _done(_DONE)
        if kind == _ATTENTION:
            return _done(_DONE, _OF_ATTENTION)
        text = body[int.from_bytes(body[:4], "little") :]
        if kind == _BATCH:
            self.batches.append(text.decode("utf-16-le"))
            return _done(_DONE)
        if kind == _TRANSACTION:
            return _changed_transaction(begins=int.from_bytes(text[:2], "little") == _BEGIN) + _done(_DONE)
        if kind == _RPC and text.startswith(_BY_NUMBER):
            self.prepared.append(text)
            return _done(_DONE_PROC)
        if kind == _RPC:
            end = 2 + 2 * int.from_bytes(text[:2], "little")
            self.calls.append(text[2:end].decode("utf-16-le"))
            self.arguments.append(_arguments(text[end + 2 :]))  # behind two bytes of options
            return self._answer_to_a_call()
        return None

    def _answer_to_a_call(self) -> bytes | None:
        self.in_call.set()
        if self.dies:
            return None
        if self.hangs:
            return b""
        if self.errors:
            return _errors(self.errors) + _done(_DONE_PROC, _WITH_ERROR)
        return _one_number(self.number) + _done(_DONE_PROC)


@contextmanager
def tds_server() -> Iterator[TdsServer]:
    """A listener on a free port of this machine, for as long as it is needed."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = TdsServer(listener.getsockname()[1])

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    server.clients.append(client)
                    threading.Thread(target=_served, args=(server, client), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield server
        finally:
            server.hang_up()
            listener.shutdown(socket.SHUT_RDWR)


def _served(server: TdsServer, client: socket.socket) -> None:
    with suppress(OSError):
        server.serve(client)


def _packet(client: socket.socket) -> tuple[int, bytes] | None:
    """A whole message of one or more packets; ``None`` when the client has gone."""
    body = b""
    while True:
        header = _exactly(client, _HEADER.size)
        if header is None:
            return None
        kind, status, length, *_ = _HEADER.unpack(header)
        part = _exactly(client, length - _HEADER.size)
        if part is None:
            return None
        body += part
        if status & 1:
            return kind, body


def _exactly(client: socket.socket, count: int) -> bytes | None:
    data = b""
    while len(data) < count:
        piece = client.recv(count - len(data))
        if not piece:
            return None
        data += piece
    return data


def _login(body: bytes) -> dict[str, str]:
    told = {}
    for name, at in _FIELDS.items():
        start, characters = struct.unpack_from("<HH", body, at)
        raw = body[start : start + 2 * characters]
        if name == "password":  # each byte: the halves swapped, then XOR with A5
            raw = bytes(((byte ^ 0xA5) << 4 | (byte ^ 0xA5) >> 4) & 0xFF for byte in raw)
        told[name] = raw.decode("utf-16-le")
    told["intent"] = "ReadOnly" if body[_TYPE_FLAGS] & _READ_ONLY_INTENT else "ReadWrite"
    return told


def _arguments(data: bytes) -> list[int | str]:
    """The values of a call's parameters: integers of any size and texts, none of which is null."""
    found: list[int | str] = []
    while data:
        data = data[1 + 2 * data[0] + 1 :]  # the name and the status
        kind, data = data[0], data[1:]
        match kind:
            case 0x26:  # INTN: the widest, then the value behind its width
                width = data[1]
                found.append(int.from_bytes(data[2 : 2 + width], "little", signed=True))
                data = data[2 + width :]
            case 0xE7 | 0xA7:  # NVARCHAR, BIGVARCHAR: the longest, a collation of five bytes, a length, the value
                end = 9 + int.from_bytes(data[7:9], "little")
                found.append(data[9:end].decode("utf-16-le" if kind == 0xE7 else "ascii"))
                data = data[end:]
            case _:
                raise AssertionError(f"no call sends parameters of type {kind:#x}")
    return found


def _short(text: str) -> bytes:
    return bytes([len(text)]) + text.encode("utf-16-le")


def _errors(errors: Sequence[Error]) -> bytes:
    tokens = b""
    for number, text in errors:
        message = struct.pack("<H", len(text)) + text.encode("utf-16-le")
        content = struct.pack("<iBB", number, 1, 14) + message + _short("DOUBLE") + _short("") + struct.pack("<I", 1)
        tokens += struct.pack("<BH", _ERROR, len(content)) + content
    return tokens


def _done(token: int, status: int = 0) -> bytes:
    return _INFO_OF_DONE.pack(token, status, 0, 0)


def _changed_transaction(*, begins: bool) -> bytes:
    """The change to a new transaction, or to none."""
    number, none = b"\x08" + (1).to_bytes(8, "little"), b"\x00"
    change = b"\x08" + number + none if begins else b"\x09" + none + number
    return struct.pack("<BH", 0xE3, len(change)) + change


def _one_number(value: int | None) -> bytes:
    """A result set of one row with one nullable int."""
    columns = struct.pack("<BHIHBB", 0x81, 1, 0, 1, 0x26, 4) + _short("number")
    return columns + (b"\xd1\x00" if value is None else struct.pack("<BBi", 0xD1, 4, value))


def _login_ack() -> bytes:
    content = b"\x01" + bytes.fromhex("74000004") + _short("Double") + bytes.fromhex("0f000000")
    return struct.pack("<BH", 0xAD, len(content)) + content


_LOGIN_ACK = _login_ack()
