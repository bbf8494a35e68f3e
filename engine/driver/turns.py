"""Short turns on a processor, for the threads of a client: each needs little, and needs it soon.

A processor that hundreds of threads want (the servers of a lab on the workstation itself) goes round among them, and
whoever has woken waits until all the others have had their turn. Linux, from 6.12 on, lets a thread ask for shorter
turns than others have: it gets no larger share of the processor, but comes to it sooner. No privilege is needed.
Elsewhere turns stay as they are.

Called by the client process for its main thread, which keeps the time where no loop does; the threads of its users have
those that it had when it started them.
"""

import ctypes
import os
import sys
from contextlib import suppress

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
        if number is not None and os.sched_getscheduler(0) == os.SCHED_OTHER:
            wanted = _Attributes(
                size=ctypes.sizeof(_Attributes),
                policy=os.SCHED_OTHER,
                nice=os.getpriority(os.PRIO_PROCESS, 0),
                runtime_ns=1000 * microseconds,
            )
            ctypes.CDLL(None).syscall(number, 0, ctypes.byref(wanted), 0)
