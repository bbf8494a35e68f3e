"""Short time slices for the threads of a client process: each needs little processor time, but needs it soon.

Where hundreds of threads compete for a processor (such as the servers of a lab on the workstation itself), a thread
that wakes waits until the others have used their time slices. From 6.12 on, Linux lets a thread request a shorter
slice: it gets no larger share of the processor, but is scheduled sooner. No privilege is needed. On other systems
nothing changes.

The client process calls this for its main thread, which makes samples where no loop does; the threads of its users
inherit what it had when it started them.

A thread with a short slice preempts the running thread when it wakes. A MySQL server sends an answer in two segments: a
client woken by the first one preempts the server's thread before it has sent the second, and has to be woken again for
that. So the users of such a server on this machine are not ``preempting``: they wait until the server's thread blocks
or its slice is over, and then find complete answers, and several of them.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MAIN_THREAD_TIME_SLICE_US = 100
# With shorter ones users would be woken for each single answer, at the cost of a context switch each time.
SHARED_TIME_SLICE_US = 300
USER_TIME_SLICE_US = 1_000

# The numbers of sched_setattr, which Python has no function for, and the C library only in its later versions.
_SET_ATTRIBUTES = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
_IS_64_BIT = sys.maxsize > 2**32


class _Attributes(ctypes.Structure):
    """``struct sched_attr`` in its first version; for an ordinary thread ``runtime_ns`` is its time slice."""

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


def user_time_slice_us(processes: int, processors: int) -> int:
    """The time slice of the users' threads in each of so many client processes.

    With a longer one, more answers are read at once and a server on the same machine is preempted less often. But where
    the processes outnumber the processors, each process would have to wait longer for the others.
    """
    return USER_TIME_SLICE_US if processes <= processors else SHARED_TIME_SLICE_US


def set_time_slice(microseconds: int) -> None:
    """Set it for the calling thread and those that it starts from now on; without effect where that is unsupported."""
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
def user_time_slices(microseconds: int, *, preempting: bool) -> Iterator[None]:
    """Within the block, the calling thread and those that it starts have time slices of this length.

    Threads that are not ``preempting`` do not preempt others when they wake. For them a longer slice has no advantage,
    so theirs are always short. A thread with a special scheduling policy keeps it.
    """
    is_changed = not preempting and sys.platform == "linux" and _change_policy(os.SCHED_OTHER, os.SCHED_BATCH)
    set_time_slice(microseconds if preempting else min(microseconds, SHARED_TIME_SLICE_US))
    try:
        yield
    finally:
        if is_changed and sys.platform == "linux":
            _change_policy(os.SCHED_BATCH, os.SCHED_OTHER)


def _change_policy(before: int, after: int) -> bool:
    """Change the calling thread's policy if it is ``before``; returns whether it was changed."""
    if sys.platform != "linux":
        return False
    with suppress(OSError):
        if os.sched_getscheduler(0) == before:
            os.sched_setscheduler(0, after, os.sched_param(0))
            return True
    return False
