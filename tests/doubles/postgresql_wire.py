"""A session over PostgreSQL's protocol whose server is a thread of the test.

Only the server is replaced. What asks, reads and sorts errors is what asks a server.
"""

import socket
import struct

from engine.databases.postgresql.session import PostgreSQLSession
from engine.errors import ErrorClass, TargetError
from engine.workloads.dvdstore.bindings.postgresql.calls import CALLS
from tests.doubles.postgresql_messages import READY, SYNC, int4, row, told
from tests.doubles.sessions import PRICE, DoubleSession, tcp_pair
from tests.doubles.wire_server import WireServer

_BROWSES = ("category", "actor", "title")
_SQLSTATES = {ErrorClass.DEADLOCK: "40P01", ErrorClass.OTHER: "53100"}
_NUMBERS = {"login": 7, "new_customer": 8, "purchase": 9}


class _Connection:
    """What a session needs of libpq's connection once it is made."""

    ssl_in_use = False
    info: tuple[()] = ()
    status = 0
    notice_handler: object = None

    def __init__(self, near: socket.socket) -> None:
        near.setblocking(False)
        self._near = near

    @property
    def socket(self) -> int:
        return self._near.fileno()

    def finish(self) -> None:
        self._near.close()


class WireSession(WireServer, PostgreSQLSession):
    """``warnings`` has each come with the next answer to its call; ``spoil_next`` has the next answer
    that should hold a number hold none.
    """

    def __init__(self) -> None:
        near, far = tcp_pair()
        super().__init__(_Connection(near), DoubleSession.host, CALLS)  # type: ignore[arg-type]
        self.warnings: dict[str, str] = {}
        self.serve(far)

    def is_whole(self, question: bytes) -> bool:
        return question.endswith(SYNC)

    def verb_of(self, question: bytes) -> str:
        name = question[6 : question.index(b"\0", 6)].decode()
        return "browse" if name in _BROWSES else name

    def answer_to(self, verb: str, question: bytes, failure: TargetError | None) -> bytes:
        warning = self.warnings.pop(verb, "")
        notice = told(b"N", {"V": "WARNING", "M": warning}) if warning else b""
        return notice + (self._rows(verb, question) if failure is None else _error(failure)) + READY

    def _rows(self, verb: str, question: bytes) -> bytes:
        if verb == "browse":
            return b""
        if verb == "prices":
            return b"".join(row([int4(product), int4(PRICE)]) for product in _products(question))
        number, self.spoil_next = b"bad" if self.spoil_next else int4(_NUMBERS[verb]), False
        return row([number, None])


def _products(question: bytes) -> list[int]:
    """The int4[] that is the only parameter: after the name, two numbers of formats, their one, and the size."""
    start = question.index(b"\0", 6) + 1 + 2 + 2 + 2 + 4
    (count,) = struct.unpack_from(">i", question, start + 12)
    return [struct.unpack_from(">i", question, start + 20 + 8 * number + 4)[0] for number in range(count)]


def _error(failure: TargetError) -> bytes:
    return told(b"E", {"S": "ERROR", "C": _SQLSTATES[failure.error_class], "M": str(failure)})
