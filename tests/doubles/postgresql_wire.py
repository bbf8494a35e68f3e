"""A session of PostgreSQL's own over a socket whose other end is a thread of the test: it answers well, fails or hangs.

Only the server is replaced. What asks, reads and sorts errors is what asks a server.
"""

import socket
import struct
import threading

from engine.databases.postgresql.session import PostgreSQLSession
from engine.errors import ErrorClass, TargetError
from tests.doubles.postgresql_messages import READY, SYNC, int4, row, told
from tests.doubles.sessions import LOST, PRICE, DoubleSession, tcp_pair

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


class WireSession(PostgreSQLSession):
    """Takes the commands of ``tests.doubles.sessions.DoubleSession``; of errors to fail with, a ``TargetError``.

    ``warnings`` has each come with the next answer to the call that it stands for; ``spoil_next`` has the next answer
    that should hold a number hold none.
    """

    def __init__(self) -> None:
        near, self._far = tcp_pair()
        super().__init__(_Connection(near), DoubleSession.host)  # type: ignore[arg-type]
        self.fail_next: TargetError | None = None
        self.warnings: dict[str, str] = {}
        self.spoil_next = False
        self.hangs = threading.Event()
        self.hanging = threading.Event()
        self.calls: list[str] = []
        self.cuts = 0
        self.closed = False
        self._server = threading.Thread(target=self._serve, name="wire server", daemon=True)
        self._server.start()

    def cut(self) -> None:
        self.cuts += 1
        super().cut()

    def close(self) -> None:
        super().close()
        self.closed = True
        self._server.join(10)

    def _serve(self) -> None:
        with self._far:
            question = b""
            while part := self._received():
                question += part
                if question.endswith(SYNC):
                    if not self._answered(question):
                        return
                    question = b""

    def _received(self) -> bytes:
        try:
            return self._far.recv(65_536)
        except OSError:
            return b""

    def _answered(self, question: bytes) -> bool:
        """Whether the connection is kept."""
        name = question[6 : question.index(b"\0", 6)].decode()
        verb = "browse" if name in _BROWSES else name
        self.calls.append(verb)
        failure, self.fail_next = self.fail_next, None
        warning = self.warnings.pop(verb, "")
        if failure is LOST:
            return False
        if self.hangs.is_set():
            self.hanging.set()
            return True
        notice = told(b"N", {"V": "WARNING", "M": warning}) if warning else b""
        body = self._rows(verb, question) if failure is None else _error(failure)
        try:
            self._far.sendall(notice + body + READY)
        except OSError:
            return False  # the user has left meanwhile
        return True

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
