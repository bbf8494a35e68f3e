"""The server's end of a session over a socket, as a thread of the test: it answers well, fails or hangs."""

import socket
import threading
from abc import abstractmethod

from engine.errors import TargetError
from tests.doubles.sessions import LOST


class WireServer:
    """Mixed into a session whose far end it plays; the session's class comes behind it.

    Takes the commands of ``tests.doubles.sessions.DoubleSession``; of errors to fail with, a ``TargetError``.
    """

    def serve(self, far: socket.socket) -> None:
        """Answer at this socket until the session leaves; to be called once the session is made."""
        self.fail_next: TargetError | None = None
        self.spoil_next = False
        self.hangs = threading.Event()
        self.hanging = threading.Event()
        self.calls: list[str] = []
        self.cuts = 0
        self.closed = False
        self._far = far
        self._server = threading.Thread(target=self._serve, name="wire server", daemon=True)
        self._server.start()

    def cut(self) -> None:
        self.cuts += 1
        super().cut()  # type: ignore[misc]

    def close(self) -> None:
        super().close()  # type: ignore[misc]
        self.closed = True
        self._server.join(10)

    @abstractmethod
    def is_whole(self, question: bytes) -> bool:
        """Whether a question has arrived to its end."""

    @abstractmethod
    def verb_of(self, question: bytes) -> str:
        """Which call it is."""

    @abstractmethod
    def answer_to(self, verb: str, question: bytes, failure: TargetError | None) -> bytes:
        """What is sent back; the error, where there is one to fail with."""

    def _serve(self) -> None:
        with self._far:
            question = b""
            while part := self._received():
                question += part
                if self.is_whole(question):
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
        verb = self.verb_of(question)
        self.calls.append(verb)
        failure, self.fail_next = self.fail_next, None
        if failure is LOST:
            return False
        if self.hangs.is_set():
            self.hanging.set()
            return True
        try:
            self._far.sendall(self.answer_to(verb, question, failure))
        except OSError:
            return False  # the user has left meanwhile
        return True
