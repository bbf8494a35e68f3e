"""Which clients share a process, and how many threads drive its users.

A run has no more client processes than the workstation has processors, where possible. Where sessions are polled, one
thread drives many users; more processes than processors would only compete for these and wake up more often for the
same work: with 24 processes on one processor, an order of 768 users cost twice as much processor time as with two.

Clients of a server on this same machine have three times as many processes. Linux divides the processors among
sessions, and each backend of a PostgreSQL server is a session: among hundreds of these, two processes for all users
would hardly ever be scheduled, and users would wait for them and not for the server. With a process for each of many
clients, on the other hand, so many of the server's processes want a processor at the same moment that the clients are
scheduled too late to make their samples in time.

Three kinds of clients have a process of their own: those whose users need a thread each, since these would wait for
each other in one interpreter; those whose users share a loop of ``asyncio``; and a client that is the only one in its
part.
"""

import socket
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby

from engine.databases.database import Database
from engine.driver.messages import ClientStart
from engine.workloads.systems import system_of

# So a process that dies never takes all clients of a run with it.
LEAST_PROCESSES = 2
# Client processes for each processor, with a server on this machine. Of 768 users of 24 clients on two processors, with
# 4, 6, 8 and 12 processes 0.2, 0.5, 0.8 and 2.6 per cent of the samples were more than 50 ms late; but with fewer
# processes there were fewer orders, too: 1,351, 1,418, 1,422 and 1,532 a second (medians of three).
LOCAL_SERVER_FACTOR = 3
# Half of a user's processor time needs the interpreter's lock: a third loop would only wait for it.
_MOST_LOOPS = 2
# A second loop needs a processor that is free now and then. Users that may not preempt leave all processors to their
# server; their loop takes less than a tenth of the server's processor time, so that only on 8 processors (computed, not
# measured) it could hold up the server. On two processors, 8 users beside MariaDB placed 0.98 x the orders of the C
# program of tests/benchmarks with two loops and 1.01 x with one, 32 users 1.06 x and 1.12 x.
_PROCESSORS_FOR_SECOND_LOOP, _PROCESSORS_BESIDE_SERVER = 2, 8


def share_out(
    starts: Sequence[ClientStart], processors: int, is_here: Callable[[str], bool] | None = None
) -> list[tuple[ClientStart, ...]]:
    """The clients of each process, in the order given; all processes have about the same number of users.

    ``is_here`` says whether a host's name is this machine's; the default is to resolve it, which may wait for a name
    server.
    """
    is_here = cache(is_here or is_this_machine)

    def has_local_server(start: ClientStart) -> bool:
        return _has_local_server(start, is_here)

    shares: list[tuple[ClientStart, ...]] = [(start,) for start in starts if not is_polled(start)]
    for is_local, factor in ((False, 1), (True, LOCAL_SERVER_FACTOR)):
        together = [start for start in starts if is_polled(start) and has_local_server(start) is is_local]
        shares += _in_parts(together, max(factor * processors, LEAST_PROCESSES))
    return sorted(shares, key=lambda share: share[0].client)


def may_preempt(share: Sequence[ClientStart], is_here: Callable[[str], bool]) -> bool:
    """Whether the users' threads of a process may preempt the running thread when an answer arrives.

    They may not, next to a server that sends its answers in parts: with each first part they would preempt that very
    server. On two processors, 8 users beside MariaDB that preempted placed 0.89 x the orders of a C program (three
    rounds of 8 s), for 1.4 x its processor time; without that it was 1.01 x, for 0.7 x.
    """
    return not any(
        isinstance(system := system_of(start.target.kind), Database)
        and system.answers_come_in_parts
        and _has_local_server(start, is_here)
        for start in share
    )


def is_polled(start: ClientStart) -> bool:
    """Whether the sessions of a client's users are polled."""
    system = system_of(start.target.kind)
    return isinstance(system, Database) and system.sessions_are_polled(start.target)


def _has_local_server(start: ClientStart, is_here: Callable[[str], bool]) -> bool:
    return any(is_here(host.name) for host in start.target.hosts)


def loops_of_each(processes: int, processors: int, *, may_preempt: bool) -> int:
    """How many threads may drive the users of each of so many client processes.

    Two, where there are enough processors: while one waits for a processor that the server uses, the other can run on a
    free one.
    """
    enough = _PROCESSORS_FOR_SECOND_LOOP if may_preempt else _PROCESSORS_BESIDE_SERVER
    return _MOST_LOOPS if processors >= enough * processes else 1


def _in_parts(starts: Sequence[ClientStart], parts: int) -> list[tuple[ClientStart, ...]]:
    """At most so many parts, each of adjacent clients; a client belongs to the part that contains its middle user."""
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
    """Whether a host's name resolves to this machine: only then can a socket be bound to its address."""
    if name.startswith("/"):
        return True  # the folder of a local socket
    try:
        found = socket.getaddrinfo(name, 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False  # connecting will report it
    return any(_can_be_bound(family, address) for family, _, _, _, address in found)


def _can_be_bound(family: int, address: tuple[object, ...]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as one:
        try:
            one.bind(address)
        except OSError:
            return False
    return True
