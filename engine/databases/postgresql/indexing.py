"""What makes loaded tables a store: keys, indexes, references and statistics, on two connections. Called by the build.

Each paragraph of a script is worked off on one connection, side by side with the others: they are cut so that they do
not wait for each other's locks.
"""

import threading
from dataclasses import dataclass, field
from functools import partial

from engine.databases.database import Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.parallel_jobs import run_in_parallel
from engine.databases.postgresql.admin import cancelling, opened
from engine.databases.postgresql.scripts import paragraphs
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.progress_text import indexing_step
from engine.errors import Cancelled
from engine.secrets import Secret
from engine.target.target import Target

# One after the other: references need the keys, and the planner's statistics those of the index on expressions.
_ROUNDS = (("indexing", "indexes"), ("checking references", "references"), ("gathering statistics", "statistics"))
# More than the usual 64 MB, and no less than the server has been given.
_ENOUGH_MEMORY = (
    "SELECT set_config('maintenance_work_mem', '256MB', false)"
    " WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('256MB')"
)


@dataclass
class Indexing:
    """The work on the store in one schema; its progress goes from the share ``begin`` to ``end``."""

    target: Target
    secret: Secret | None
    timeouts: Timeouts
    definition: StoreDefinition
    report_progress: ReportProgress
    cancelled: IsCancelled
    begin: float
    end: float
    schema: str
    _begun: int = 0
    _statements: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Raises ``Cancelled`` or ``TargetError``."""
        rounds = [(doing, paragraphs(self.definition.script(script))) for doing, script in _ROUNDS]
        self._statements = sum(len(paragraph) for _, work in rounds for paragraph in work)
        for doing, work in rounds:
            self._stop.clear()
            run_in_parallel([partial(self._work_off, doing, paragraph) for paragraph in work], self._stop)

    def _work_off(self, doing: str, statements: list[str]) -> None:
        with (
            opened(self.target, self.secret, self.timeouts, schema=self.schema) as connection,
            cancelling(connection, self._is_over),
        ):
            connection.execute(_ENOUGH_MEMORY)
            for statement in statements:
                self._report_progress(indexing_step(doing, statement, self.definition.tables))
                if self._is_over():
                    raise Cancelled
                connection.execute(statement.encode())

    def _is_over(self) -> bool:
        return self._stop.is_set() or self.cancelled()

    def _report_progress(self, doing: str) -> None:
        with self._lock:
            share = self.begin + (self.end - self.begin) * self._begun / self._statements
            self._begun += 1
            self.report_progress(Progress(doing=doing, share=share))
