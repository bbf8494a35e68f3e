"""Doing long work on a store in two threads, each job on connections of its own: loading, and making indexes."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from engine.errors import Cancelled

_AT_A_TIME = 2


def side_by_side(jobs: Iterable[Callable[[], None]], stop: threading.Event) -> None:
    """Do the jobs, begun in their order, two at a time; raises the first error that is not ``Cancelled``.

    ``stop`` is set as soon as one of them has failed, and at the end: the others look at it, and raise ``Cancelled``.
    """
    with ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="build") as threads:
        running = [threads.submit(_stopping, job, stop) for job in jobs]
        try:
            errors = [error for job in running if (error := job.exception()) is not None]
        finally:
            stop.set()  # whoever interrupts this thread doesn't wait for all the jobs
    if errors:
        raise next((error for error in errors if not isinstance(error, Cancelled)), errors[0])


def _stopping(job: Callable[[], None], stop: threading.Event) -> None:
    try:
        job()
    except BaseException:
        stop.set()
        raise
