"""Short turns on a processor, for the threads of a client: each needs little, and needs it soon.

A processor that hundreds of threads want (the servers of a lab on the workstation itself) goes round among them, and
whoever has woken waits until all the others have had their turn. Linux, from 6.12 on, lets a thread ask for shorter
turns than others have: it gets no larger share of the processor, but comes to it sooner. No privilege is needed.
Elsewhere turns stay as they are.

Called by the client process for its main thread, which keeps the time where no loop does; the threads of its users have
those that it had when it started them.

A thread that has just woken, with a short turn, takes the processor from whoever is at work there. A MySQL server sends
an answer in two segments: a client that is woken by the first one interrupts the server's thread before it has sent the
second, and has to be woken again for that. So the users of such a server on this machine are not ``preempting``: they
wait until the server's thread waits itself or its turn is over, and then find whole answers, and several of them.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

TIME_KEEPERS_TURN_US = 100
# Shorter ones let users hear of their answers one by one, and each time cost the system's work of waking them.
USERS_TURN_AMONG_MANY_US = 300
USERS_TURN_US = 1_000

# The numbers of sched_setattr, which Python has no function for, and the C library only in its later versions.
_SET_ATTRIBUTES = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
_IS_64_BIT = sys.maxsize > 2**32


class _Attributes(ctypes.Structure):
    """``struct sched_attr`` in its first version; of an ordinary thread, ``runtime_ns`` is the length of its turns."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime_ns", ctypes.c_uint64),
        ("deadline_ns", ctypes.c_uint64),
        ("period_ns", ctypes.c_uint64),
    )


def users_turn_us(processes: int, processors: int) -> int:
    """How long the turns of the users' threads are in each of so many client processes.

    In a longer one more answers are taken at once, and a server on the same machine is disturbed less often. But where
    processes outnumber the processors, each would wait for the turns of others, and its users with it.
    """
    return USERS_TURN_US if processes <= processors else USERS_TURN_AMONG_MANY_US


def take_short_turns(microseconds: int) -> None:
    """Of the calling thread, and of those that it starts from now on; where this can't be had, nothing changes."""
    if sys.platform != "linux" or not _IS_64_BIT:
        return
    number = _SET_ATTRIBUTES.get(os.uname().machine)
    with suppress(OSError):  # a sandbox may forbid even to look
        policy = os.sched_getscheduler(0)
        if number is not None and policy in (os.SCHED_OTHER, os.SCHED_BATCH):
            wanted = _Attributes(
                size=ctypes.sizeof(_Attributes),
                policy=policy,
                nice=os.getpriority(os.PRIO_PROCESS, 0),
                runtime_ns=1000 * microseconds,
            )
            ctypes.CDLL(None).syscall(number, 0, ctypes.byref(wanted), 0)


@contextmanager
def users_turns(microseconds: int, *, preempting: bool) -> Iterator[None]:
    """Threads that the calling one starts meanwhile have turns of this length, and it has them too.

    Those that are not ``preempting`` interrupt no other when they wake. In a longer turn they would spare nobody
    anything, so theirs are short in any case. A thread that was given a policy keeps it.
    """
    is_changed = not preempting and sys.platform == "linux" and _change_policy(os.SCHED_OTHER, os.SCHED_BATCH)
    take_short_turns(microseconds if preempting else min(microseconds, USERS_TURN_AMONG_MANY_US))
    try:
        yield
    finally:
        if is_changed and sys.platform == "linux":
            _change_policy(os.SCHED_BATCH, os.SCHED_OTHER)


def _change_policy(before: int, after: int) -> bool:
    """Change the calling thread's policy if it is the one given; whether it was changed."""
    if sys.platform != "linux":
        return False
    with suppress(OSError):
        if os.sched_getscheduler(0) == before:
            os.sched_setscheduler(0, after, os.sched_param(0))
            return True
    return False
