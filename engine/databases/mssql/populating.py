"""Waiting until the full-text index holds every product: a search finds nothing that is not in it yet."""

import time
from collections.abc import Callable

from engine.databases.mssql.running import one
from engine.databases.mssql.scripts import DBO, Sql, batches
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError

_ASK_EVERY_SECONDS = 0.5
_LONGEST_STANDSTILL_SECONDS = 300.0
_IDLE = (0, 4)  # idle, and the background update that waits for changes
_FAILED = 6


def wait_until_populated(
    connection: OdbcConnection, products: int, report_share: Callable[[float], None], schema: Sql = DBO
) -> None:
    """Returns when all products are indexed; ``report_share`` is called often, and may raise to end the waiting.

    Raises ``TargetError`` when a row could not be indexed, or nothing happens for five minutes.
    """
    (batch,) = batches("populated", schema=schema)
    seen: tuple[int, ...] = ()
    until = time.monotonic() + _LONGEST_STANDSTILL_SECONDS
    while True:
        row = tuple(int(value or 0) for value in one(connection, batch))
        status, merging, pending, items, failed, has_completed = row
        if failed or status == _FAILED:
            raise TargetError(ErrorClass.OTHER, f"{failed} products could not be indexed for full-text search")
        if status in _IDLE and not merging and not pending and (has_completed or items >= products):
            return
        if row != seen:
            seen, until = row, time.monotonic() + _LONGEST_STANDSTILL_SECONDS
        if time.monotonic() > until:
            raise TargetError(
                ErrorClass.TIMEOUT,
                f"the full-text index has stopped at {items:,} of {products:,} products; look at the server's"
                " full-text service and its crawl log",
            )
        report_share(min(1.0, items / products))
        time.sleep(_ASK_EVERY_SECONDS)
