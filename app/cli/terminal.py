"""Output on the terminal: tables, JSON, progress of long work, and Ctrl-C to cancel it."""

import json
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from rich.console import Console

if TYPE_CHECKING:
    from rich.table import Table

    from engine.databases.progress import Progress, ReportProgress

_UNLIMITED = 10_000
error_console = Console(stderr=True, highlight=False, markup=False, emoji=False)


def output_width() -> int | None:
    """The columns of the terminal that standard output goes to; ``None`` for a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def print_table(table: "Table") -> None:
    """Print a table within the terminal's width; to a file or a pipe without cutting or wrapping."""
    Console(width=output_width() or _UNLIMITED, highlight=False, markup=False, emoji=False).print(table)


def print_json(value: object, file: TextIO | None = None) -> None:
    """Print a value as indented JSON, to standard output or to a file."""
    print(json.dumps(value, indent=2, ensure_ascii=False), file=file)


def one_line(text: str) -> str:
    """A text for one table row: line ends and control characters are replaced by spaces."""
    return "".join(character if character.isprintable() else " " for character in text)


class CancelFlag:
    """Set by Ctrl-C or SIGTERM."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.is_set: Callable[[], bool] = self._event.is_set
        self.set: Callable[[], None] = self._event.set


@contextmanager
def on_interrupt(react: Callable[[], None]) -> Iterator[None]:
    """Call ``react`` on Ctrl-C and SIGTERM instead of ending the program.

    The signal may arrive in the middle of a print, so ``react`` must not print.
    """

    def handle(_number: int, _frame: FrameType | None) -> None:
        react()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def never_paused() -> Iterator[None]:
    """Ignore Ctrl-Z: it would stop this process alone, while the load that it watches goes on."""
    if not hasattr(signal, "SIGTSTP"):
        yield
        return
    before = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


@contextmanager
def progress_shown(title: str) -> Iterator[tuple["ReportProgress", CancelFlag]]:
    """A progress callback for long work, and the flag that Ctrl-C sets.

    On a terminal it is a bar, elsewhere a line for each new activity with a share above 0. Without a ``title`` only the
    activity is printed.
    """
    flag = CancelFlag()
    with on_interrupt(flag.set):
        if error_console.is_terminal and not error_console.is_dumb_terminal:
            with _bar(title) as report_progress:
                yield report_progress, flag
        else:
            yield _lines(title), flag


@contextmanager
def _bar(title: str) -> Iterator["ReportProgress"]:
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    titles = (TextColumn("{task.description}", markup=False),) if title else ()
    columns = (
        *titles,
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[doing]}", markup=False),
    )
    with Bar(*columns, console=error_console, transient=True) as bar:
        task = bar.add_task(title, total=1.0, doing="")
        yield lambda step: bar.update(task, completed=step.share, doing=step.doing)


def _lines(title: str) -> "ReportProgress":
    said: set[str] = set()

    def report_progress(step: "Progress") -> None:
        if step.share > 0 and step.doing not in said:
            said.add(step.doing)
            before = f"{title}: " if title else ""
            error_console.print(f"{before}{step.doing} ({step.share:.0%})", soft_wrap=True)

    return report_progress
