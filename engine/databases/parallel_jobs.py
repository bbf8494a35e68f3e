"""Runs long jobs on a store (loading, creating indexes) in two threads, each job on connections of its own."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from engine.errors import Cancelled

_AT_A_TIME = 2


def run_in_parallel(jobs: Iterable[Callable[[], None]], stop: threading.Event) -> None:
    """Run the jobs, started in their order, two at a time; raises the first error that is not ``Cancelled``.

    ``stop`` is set as soon as a job fails, and at the end: the other jobs check it and raise ``Cancelled``.
    """
    with ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="build") as threads:
        running = [threads.submit(_stopping, job, stop) for job in jobs]
        try:
            errors = [error for job in running if (error := job.exception()) is not None]
        finally:
            stop.set()  # if this thread is interrupted, the jobs end soon
    if errors:
        raise next((error for error in errors if not isinstance(error, Cancelled)), errors[0])


def _stopping(job: Callable[[], None], stop: threading.Event) -> None:
    try:
        job()
    except BaseException:
        stop.set()
        raise
