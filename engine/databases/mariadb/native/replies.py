"""What a server replies outside of the exchange: errors, the ends of statements, and rows as texts."""

from dataclasses import dataclass

from engine.databases.failure import Failure
from engine.databases.mariadb.native.packets import Malformed

OK, END, ERROR = 0x00, 0xFE, 0xFF
_NULL = 0xFB
_LONGEST_END = 8
_NO_STATE = "HY000"
_SIZES = {0xFC: 2, 0xFD: 3, 0xFE: 8}
_MOST_COLUMNS = 250  # their number then is one byte; no statement of ours has more


class Refused(Exception):  # noqa: N818 - it says what the server did
    """The server has answered with an error."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass
class Fields:
    """The content of a packet, field by field; whatever reads beyond its end raises ``Malformed``."""

    content: bytes
    at: int = 0

    def take(self, size: int) -> bytes:
        taken = self.content[self.at : self.at + size]
        if len(taken) != size:
            raise Malformed("a packet is too short")
        self.at += size
        return taken

    def integer(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def terminated(self) -> bytes:
        """A text that ends with a zero byte."""
        end = self.content.find(b"\0", self.at)
        if end < 0:
            raise Malformed("a text has no end")
        text = self.take(end - self.at)
        self.at += 1
        return text

    def text(self) -> bytes | None:
        """A text behind its length, ``None`` if it is null."""
        first = self.integer(1)
        if first == _NULL:
            return None
        if first == ERROR:
            raise Malformed("a length that is none")
        return self.take(self.integer(_SIZES[first]) if first in _SIZES else first)

    def rest(self) -> bytes:
        return self.take(len(self.content) - self.at)


def checked(packet: bytes) -> bytes:
    """The packet; raises ``Refused`` when it is an error."""
    if packet[:1] == bytes([ERROR]):
        raise Refused(failure_in(packet))
    return packet


def failure_in(packet: bytes) -> Failure:
    """The error in an error packet. Before the login it contains no SQLSTATE."""
    fields = Fields(packet, at=1)
    number, message = fields.integer(2), fields.rest()
    state = _NO_STATE
    if message[:1] == b"#":
        state, message = message[1:6].decode("ascii", errors="replace"), message[6:]
    return Failure(sqlstate=state, native=number, message=message.decode(errors="replace"))


def columns_of(packet: bytes) -> int:
    """How many columns a result has, of which this is the first packet; none of a statement without a result."""
    if packet[:1] == bytes([OK]):
        return 0
    if len(packet) != 1 or packet[0] > _MOST_COLUMNS:
        raise Malformed("a result that is none")  # also a request for a file of this machine's, which is never sent
    return packet[0]


def is_end(packet: bytes) -> bool:
    """Whether it ends definitions or rows."""
    return packet[:1] == bytes([END]) and len(packet) <= _LONGEST_END


def row_of(packet: bytes, columns: int) -> tuple[str | None, ...]:
    fields = Fields(packet)
    texts = [fields.text() for _ in range(columns)]
    return tuple(None if text is None else text.decode(errors="replace") for text in texts)
