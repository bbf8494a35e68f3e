"""What a server replies outside of the exchange: errors, the ends of statements, and rows as texts."""

from dataclasses import dataclass

from engine.databases.failure import Failure
from engine.databases.mariadb.native.packets import Malformed

OK, LOCAL_FILE, END, ERROR = 0x00, 0xFB, 0xFE, 0xFF
_NULL = 0xFB
_LONGEST_END = 8
_NO_STATE = "HY000"
_SIZES = {0xFC: 2, 0xFD: 3, 0xFE: 8}


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
        return self.take(self.integer(_SIZES[first]) if first in _SIZES else first)

    def rest(self) -> bytes:
        return self.take(len(self.content) - self.at)


def checked(packet: bytes) -> bytes:
    """The packet; raises ``Refused`` when it is an error."""
    if packet[:1] == bytes([ERROR]):
        raise Refused(failure_in(packet))
    return packet


def failure_in(packet: bytes) -> Failure:
    """What an error's packet says. Before a server knows its client it says no SQLSTATE."""
    fields = Fields(packet, at=1)
    number, said = fields.integer(2), fields.rest()
    state = _NO_STATE
    if said[:1] == b"#":
        state, said = said[1:6].decode("ascii", errors="replace"), said[6:]
    return Failure(sqlstate=state, native=number, message=said.decode(errors="replace"))


def is_end(packet: bytes) -> bool:
    """Whether it ends definitions or rows."""
    return packet[:1] == bytes([END]) and len(packet) <= _LONGEST_END


def row_of(packet: bytes, columns: int) -> tuple[str | None, ...]:
    fields = Fields(packet)
    texts = [fields.text() for _ in range(columns)]
    return tuple(None if text is None else text.decode(errors="replace") for text in texts)
