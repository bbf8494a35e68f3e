"""Loading the tables of a DVD Store side by side: what the builders of all databases share.

How a table's blocks reach the server is each builder's own; here is in which order the tables come and what is told of
the progress.
"""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

from engine.databases.database import BuildReport, Progress, Tell
from engine.databases.database import Cancelled as CancelledQuestion
from engine.databases.side_by_side import side_by_side
from engine.dvdstore.rows import Block, StoreRows
from engine.errors import Cancelled

# The long ones first, so that the last thread does not work alone; inventory last: it needs a pass over all lines.
_LOAD_ORDER = ("customers", "orderlines", "cust_hist", "orders", "products", "inventory", "categories")


class Loading:
    """One loading of all the rows of a store; ``share`` is its part of the whole build, for the progress.

    ``loaded`` counts the rows that have arrived by table, ``bytes_streamed`` what was sent for them, and ``seconds``
    is how long it all took.
    """

    def __init__(self, rows: StoreRows, tell: Tell, cancelled: CancelledQuestion, *, share: float) -> None:
        self.loaded: dict[str, int] = {}
        self.bytes_streamed = 0
        self.seconds = 0.0
        self._rows = rows
        self._tell = tell
        self._cancelled = cancelled
        self._share = share
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def run(self, load: Callable[[str], None]) -> None:
        """Call ``load`` for each table, in threads of our own; raises the first error that is not ``Cancelled``."""
        began = time.monotonic()
        side_by_side([partial(load, table) for table in _LOAD_ORDER], self._stop)
        self.seconds = time.monotonic() - began

    def blocks(self, table: str) -> Iterator[Block]:
        """The blocks of a table in order; raises ``Cancelled`` when the loading is over."""
        if self.is_over():
            raise Cancelled
        if table == "inventory":
            self._rows.inventory_sales(cancelled=self.is_over)
        for block in self._rows.blocks(table):
            if self.is_over():
                raise Cancelled
            yield block

    def is_over(self) -> bool:
        """Whether the user has cancelled, or another table's loading has failed."""
        return self._stop.is_set() or self._cancelled()

    def count(self, table: str, rows: int, size_bytes: int) -> None:
        """Take down that rows of a table have arrived, and tell of it."""
        with self._lock:
            self.loaded[table] = self.loaded.get(table, 0) + rows
            self.bytes_streamed += size_bytes
            # The two tables of lines hold about five rows an order; the share is for the eye only.
            size = self._rows.size
            done = sum(self.loaded.values()) / (size.customers + 11 * size.orders + 2 * size.products)
            self._tell(Progress(doing=f"loading {table}", share=min(done, 1.0) * self._share))

    def report(self, index_seconds: float) -> BuildReport:
        """The report on the build, whose work behind the loading took ``index_seconds``."""
        return BuildReport(
            rows=dict(self.loaded),
            bytes_streamed=self.bytes_streamed,
            load_seconds=self.seconds,
            index_seconds=index_seconds,
        )
