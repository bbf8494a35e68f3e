"""The terminal of long work: its progress, and Ctrl-C as the way to cancel it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from engine.databases import database

error_console = Console(stderr=True, highlight=False)


class CancelFlag:
    """Set by Ctrl-C or SIGTERM; ``is_set`` answers those who ask whether to go on."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.is_set: Callable[[], bool] = self._event.is_set
        self.set: Callable[[], None] = self._event.set


@contextmanager
def on_interrupt(react: Callable[[], None]) -> Iterator[None]:
    """Call ``react`` on Ctrl-C and on SIGTERM instead of ending the program."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        react()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def progress_shown(title: str) -> Iterator[tuple[database.Tell, CancelFlag]]:
    """What to hand to long work: where it tells its progress, and the flag that Ctrl-C sets.

    On a terminal a bar, elsewhere a line for each new thing that is done.
    """
    flag = CancelFlag()
    with on_interrupt(flag.set):
        if error_console.is_terminal:
            with _bar(title) as tell:
                yield tell, flag
        else:
            yield _lines(title), flag


@contextmanager
def _bar(title: str) -> Iterator[database.Tell]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[doing]}"),
    )
    with Progress(*columns, console=error_console, transient=True) as progress:
        task = progress.add_task(title, total=1.0, doing="")
        yield lambda step: progress.update(task, completed=step.share, doing=step.doing)


def _lines(title: str) -> database.Tell:
    said: set[str] = set()

    def tell(step: database.Progress) -> None:
        if step.doing not in said:
            said.add(step.doing)
            error_console.print(f"{title}: {step.doing} ({step.share:.0%})", soft_wrap=True)

    return tell
