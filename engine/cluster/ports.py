"""The ports of this machine on which runs listen for their agents: any free one, or some that firewalls let through."""

import errno
import socket
from dataclasses import dataclass
from typing import Self

from engine.errors import BadInput, Remedy, RemedyKind, UserError

_LARGEST = 65_535


@dataclass(frozen=True)
class PortRange:
    """The ports from ``first`` to ``last``; as text ``8790`` or ``8790-8799``, and ``0`` for any free one."""

    first: int = 0
    last: int = 0

    @classmethod
    def read(cls, name: str, text: str) -> Self:
        """Read the value of the option or field of a name; raises ``BadInput`` that begins with it."""
        first, found, last = (part.strip() for part in text.partition("-"))
        numbers = [first, last] if found else [first, first]
        if all(each.isascii() and each.isdecimal() for each in numbers):
            made = cls(*map(int, numbers))
            if made == cls() or 0 < made.first <= made.last <= _LARGEST:
                return made
        raise BadInput(f"{name} is '{text}'; give a port or a range, such as 8790-8799, or 0 for any free one.")

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    def listen(self) -> socket.socket:
        """A socket that listens at all addresses of this machine, at the first port that is free.

        Raises ``UserError`` when none is.
        """
        for port in range(self.first, self.last + 1):
            try:
                return _listening_socket(port)
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
                why = error.strerror
        raise UserError(
            f"no run can listen for its agents on port {self} of this machine ({why})",
            remedy=Remedy(kind=RemedyKind.OTHER_AGENT_PORTS),
        )


ANY_PORT = PortRange()


def _listening_socket(port: int) -> socket.socket:
    if socket.has_dualstack_ipv6():
        listening = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=512)
    else:
        listening = socket.create_server(("", port), backlog=512)
    listening.setblocking(False)
    return listening
