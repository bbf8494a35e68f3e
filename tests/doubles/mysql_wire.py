"""A session over MySQL's protocol whose server is a thread of the test.

Only the server is replaced. What asks, reads and sorts errors is what asks a server.
"""

import socket
import struct

from engine.databases.mariadb.native.session import NativeSession
from engine.errors import ErrorClass, TargetError
from engine.workloads.dvdstore.bindings.mariadb.calls import CALLS
from engine.workloads.dvdstore.picks import MOST_CART_LINES
from tests.doubles.mysql_packets import LONG, error, long, ok, packets, result
from tests.doubles.sessions import PRICE, DoubleSession, tcp_pair
from tests.doubles.wire_server import WireServer

_NUMBERS = {ErrorClass.DEADLOCK: 1213, ErrorClass.OTHER: 1021}
_VERBS = ("login", "new_customer", "browse", "browse", "browse", "prices", "purchase")
_RESULTS = {"login": 7, "new_customer": 8, "purchase": 9}
_QUIT = b"\x01"
_ONE = 4 + 10  # behind a packet's header and what stands before the parameters


class _Connection:
    """What a session needs of a connection once it is made."""

    cipher = None
    host = DoubleSession.host
    numbers = tuple(range(1, len(CALLS.calls) + 1))

    def __init__(self, near: socket.socket) -> None:
        near.setblocking(False)
        self._near = near

    def fileno(self) -> int:
        return self._near.fileno()

    def cut(self) -> None:
        self._near.shutdown(socket.SHUT_RDWR)

    def close(self, *, in_order: bool) -> None:
        self._near.close()


class MySQLWireSession(WireServer, NativeSession):
    """``spoil_next`` has the next answer that should hold a number hold a text; ``raw_next`` is sent in the place
    of the next answer, and with ``twice_next`` that comes twice.
    """

    def __init__(self) -> None:
        near, far = tcp_pair()
        super().__init__(_Connection(near), CALLS, patience_seconds=10.0)  # type: ignore[arg-type]
        self.raw_next = b""
        self.twice_next = False
        self.serve(far)

    def is_whole(self, question: bytes) -> bool:
        return len(question) >= 4 and len(question) == 4 + int.from_bytes(question[:3], "little")

    def verb_of(self, question: bytes) -> str:
        (number,) = struct.unpack_from("<I", question, 5)
        return _VERBS[number - 1]

    def answer_to(self, verb: str, question: bytes, failure: TargetError | None) -> bytes:
        answer = self.raw_next or packets(*self._contents(verb, question, failure))
        answer *= 1 + self.twice_next
        self.raw_next, self.twice_next = b"", False
        return answer

    def _contents(self, verb: str, question: bytes, failure: TargetError | None) -> list[bytes]:
        if failure is not None:
            return [error(_NUMBERS[failure.error_class], str(failure))]
        if verb == "browse":
            return result([LONG], [])
        if verb == "prices":
            return result([LONG, LONG], [(long(product), long(PRICE)) for product in _products(question) if product])
        spoilt, self.spoil_next = self.spoil_next, False
        if spoilt:
            return result([253, LONG], [(b"bad", None)])
        return result([LONG, LONG], [(long(_RESULTS[verb]), None)]) if verb in _RESULTS else [ok()]


def _products(question: bytes) -> tuple[int, ...]:
    """The integers behind the bits of nulls and the types."""
    bits = (MOST_CART_LINES + 7) // 8
    return struct.unpack_from(f"<{MOST_CART_LINES}i", question, _ONE + bits + 1 + 2 * MOST_CART_LINES)
