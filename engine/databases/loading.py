"""Loading the tables of a store in parallel, shared by the builders of all databases.

This module makes the blocks of rows and reports the progress; how they reach the server depends on the builder.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from engine.databases.database import BuildReport
from engine.databases.definition import Rows, StoreDefinition
from engine.databases.parallel_jobs import run_in_parallel
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled
from engine.workload.rows.block import Block

E = TypeVar("E")
_BLOCKS_AHEAD = 3


class Loading:
    """Loads all rows of a store once; ``share`` is its part of the whole build, for the progress.

    ``loaded`` counts the loaded rows by table, ``bytes_streamed`` the bytes sent; ``seconds`` is the total duration.
    """

    def __init__(
        self,
        definition: StoreDefinition,
        rows: Rows,
        report_progress: ReportProgress,
        cancelled: IsCancelled,
        *,
        share: float,
    ) -> None:
        self.loaded: dict[str, int] = {}
        self.bytes_streamed = 0
        self.seconds = 0.0
        self._definition = definition
        self._rows = rows
        self._report_progress = report_progress
        self._cancelled = cancelled
        self._share = share
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def run(self, load: Callable[[str], None]) -> None:
        """Call ``load`` for each table, in threads of our own; raises the first error that is not ``Cancelled``."""
        began = time.monotonic()
        run_in_parallel([partial(load, table) for table in self._definition.load_order], self._stop)
        self.seconds = time.monotonic() - began

    def blocks(self, table: str) -> Iterator[Block]:
        """The blocks of a table in order; raises ``Cancelled`` when the loading is over."""
        if self.is_over():
            raise Cancelled
        for block in self._rows.blocks(table, self.is_over):
            if self.is_over():
                raise Cancelled
            yield block

    def encoded_blocks(self, table: str, encode: Callable[[Block], E]) -> Iterator[tuple[Block, E]]:
        """The blocks of a table, each with what ``encode`` makes of it for the server.

        They are made in a thread of their own, a few of them ahead: the server does not wait for rows, nor their
        generator for the server.
        """
        made = ((block, encode(block)) for block in self.blocks(table))
        with ThreadPoolExecutor(1, thread_name_prefix="rows") as maker:
            waiting = deque(maker.submit(next, made, None) for _ in range(_BLOCKS_AHEAD))
            while (each := waiting.popleft().result()) is not None:
                waiting.append(maker.submit(next, made, None))
                yield each

    def is_over(self) -> bool:
        """Whether the user has cancelled, or another table's loading has failed."""
        return self._stop.is_set() or self._cancelled()

    def count(self, table: str, rows: int, size_bytes: int) -> None:
        """Count loaded rows of a table, and report the progress."""
        with self._lock:
            self.loaded[table] = self.loaded.get(table, 0) + rows
            self.bytes_streamed += size_bytes
            done = sum(self.loaded.values()) / self._rows.expected_rows
            self._report_progress(Progress(doing=f"loading {table}", share=min(done, 1.0) * self._share))

    def counts(self) -> Mapping[str, int]:
        """What is stored with the store of the numbers of its rows."""
        return self._rows.counts(self.loaded)

    def report(self, index_seconds: float) -> BuildReport:
        """The report on the build, whose work behind the loading took ``index_seconds``."""
        return BuildReport(
            rows=dict(self.loaded),
            bytes_streamed=self.bytes_streamed,
            load_seconds=self.seconds,
            index_seconds=index_seconds,
        )
