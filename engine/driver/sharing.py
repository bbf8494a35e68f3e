"""Which clients share a process, and how many threads drive its users.

A run has no more client processes than the workstation has processors, where that can be. Where sessions are polled,
one thread drives many users; more processes than processors only take these from each other, and wake up more often for
the same work: with 24 of them on one processor, an order of 768 users cost twice as much of it as with two.

Clients with a server on this very machine have three times as many processes. Linux shares the processors out by
sessions, and each backend of a PostgreSQL server is one: among hundreds of these, two processes for all users would
hardly come to a processor, and users would wait for them and not for the server. With one for each of many clients, on
the other hand, so many of the server's processes want a processor at the same moment that each client waits for its
turn too long to make its samples in time.

Two kinds of clients have a process to themselves: one whose users need threads of their own, which would wait for each
other in one interpreter; and one that is alone in its part.
"""

import socket
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby

from engine.databases import database_of
from engine.driver.messages import ClientStart

# One that dies then never takes all clients of a run with it.
LEAST_PROCESSES = 2
# For each processor, beside a server on this machine. Of 768 users of 24 clients on two processors, with 4, 6, 8 and 12
# processes 0.2, 0.5, 0.8 and 2.6 per cent of the samples were later than 50 ms, and with fewer of them orders became
# fewer as well: 1,351, 1,418, 1,422 and 1,532 a second (medians of three).
BESIDE_A_SERVER = 3
# Half of what a user costs its process needs the interpreter's lock: a third loop would only wait for it.
_MOST_LOOPS = 2
# Of one process beside a MariaDB, 8 users that preempt nobody came to 0.86 x the orders of 8 that may, 32 to 1.20 x and
# 128 to 1.18 x, while other programs used the processors as well (medians of 11, 12 and 7 pairs, far apart).
_MANY_USERS = 16


def share_out(
    starts: Sequence[ClientStart], processors: int, is_here: Callable[[str], bool] | None = None
) -> list[tuple[ClientStart, ...]]:
    """The clients of each process, in the order given, and each process with about as many users as the others.

    ``is_here`` says of a host's name whether this machine bears it; left out, this machine is asked, which may have to
    ask a name server.
    """
    is_here = cache(is_here or is_this_machine)

    def is_beside(start: ClientStart) -> bool:
        return _is_beside(start, is_here)

    def is_polled(start: ClientStart) -> bool:
        return database_of(start.target.kind).sessions_are_polled(start.target)

    shares: list[tuple[ClientStart, ...]] = [(start,) for start in starts if not is_polled(start)]
    for beside, factor in ((False, 1), (True, BESIDE_A_SERVER)):
        together = [start for start in starts if is_polled(start) and is_beside(start) is beside]
        shares += _in_parts(together, max(factor * processors, LEAST_PROCESSES))
    return sorted(shares, key=lambda share: share[0].client)


def may_preempt(share: Sequence[ClientStart], is_here: Callable[[str], bool]) -> bool:
    """Whether the users of a process may interrupt whoever is at work on a processor when an answer comes.

    Many users may not beside a server that sends its answers in parts: each first part would have them interrupt that
    very server. Few would rather wait for the processor themselves than find several answers at once.
    """
    if sum(start.threads for start in share) < _MANY_USERS:
        return True
    return not any(
        database_of(start.target.kind).answers_come_in_parts and _is_beside(start, is_here) for start in share
    )


def _is_beside(start: ClientStart, is_here: Callable[[str], bool]) -> bool:
    return any(is_here(host.name) for host in start.target.hosts)


def loops_of_each(processes: int, processors: int) -> int:
    """How many threads may drive the users of each of so many client processes.

    Two, where there are twice as many processors: while the one waits for its turn on a processor beside the server,
    the other comes to one that is free.
    """
    return min(_MOST_LOOPS, max(1, processors // processes))


def _in_parts(starts: Sequence[ClientStart], parts: int) -> list[tuple[ClientStart, ...]]:
    """So many parts at most, neighbours together; a client belongs to the part in which its middle user is."""
    if len(starts) <= parts:
        return [(start,) for start in starts]
    users = sum(start.threads for start in starts)
    part_of: dict[int, int] = {}
    before = 0
    for start in starts:
        part_of[start.client] = parts * (2 * before + start.threads) // (2 * users)
        before += start.threads
    return [tuple(group) for _, group in groupby(starts, key=lambda start: part_of[start.client])]


def is_this_machine(name: str) -> bool:
    """Whether a host's name leads to this machine: only then can a socket be bound to its address."""
    if name.startswith("/"):
        return True  # the folder of a local socket
    try:
        found = socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False  # whoever connects is told
    return any(_can_be_bound(family, address) for family, _, _, _, address in found)


def _can_be_bound(family: int, address: tuple[object, ...]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as one:
        try:
            one.bind(address)
        except OSError:
            return False
    return True
