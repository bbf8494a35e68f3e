"""A reset without a backup: deletes what runs have added, and restores the stock.

It is one transaction, so that a reset is done completely or not at all. But after a long run the log would need room
for twice the deleted rows, and everything would be rolled back when it is full. Then most rows are deleted in pieces,
while the store is marked as not complete; an interrupted reset is continued by the next one.
"""

from collections.abc import Mapping

from engine.databases.mssql.definition import Piece, SqlServerDefinition
from engine.databases.mssql.running import one, run_all, transaction
from engine.databases.mssql.scripts import DBO, batches_of, number
from engine.databases.mssql.substitutes import is_refused, own_identities
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.databases.progress_text import reset_step
from engine.errors import Cancelled, TargetError, UserError
from engine.figure_text import whole

_LOCK_TIMEOUT = "1222"
_PIECES_TO, _REST_TO = 0.7, 0.8
_CHECK_IDENTITY = "DBCC CHECKIDENT"
_BEGUN = "UPDATE dbo.spindle_store SET state = 'building'"
# Whoever audits an earlier run has to see that what it added is gone.
_ENDED = "UPDATE dbo.spindle_store SET state = 'complete', built_at = SYSUTCDATETIME()"


def remove_added_rows(
    connection: OdbcConnection,
    definition: SqlServerDefinition,
    counts: Mapping[str, int],
    *,
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> None:
    """Take a store back to its stored counts, over a connection that waits for locks only so long.

    Raises ``Cancelled``, ``TargetError``, and ``UserError`` when somebody keeps a lock on the store.
    """
    try:
        _remove_in_pieces(connection, definition, counts, report_progress, cancelled)
        values = {name: number(count) for name, count in counts.items()}
        batches = batches_of(definition.script("reset"), **values)
        identities = [batch for batch in batches if batch.startswith(_CHECK_IDENTITY)]
        work = [*(batch for batch in batches if batch not in identities), _ENDED, *identities]
        if refusal := _identities_refused(connection, definition):
            report_progress(Progress(doing=own_identities(refusal), share=_PIECES_TO))
            work = [batch for batch in work if batch not in identities]
        with transaction(connection):
            for done, batch in enumerate(work):
                if cancelled():
                    raise Cancelled
                share = _PIECES_TO + (_REST_TO - _PIECES_TO) * done / len(work)
                report_progress(Progress(doing=reset_step(batch, definition.tables), share=share))
                with cancelling(connection, cancelled):
                    connection.query(batch)
    except TargetError as error:
        if error.code != _LOCK_TIMEOUT:
            raise
        raise UserError(
            "Somebody works in the store and keeps a lock on its tables; end that session (SELECT session_id FROM"
            " sys.dm_tran_locks names it), and reset again."
        ) from error
    report_progress(Progress(doing="gathering statistics", share=_REST_TO))
    with cancelling(connection, cancelled):
        run_all(connection, batches_of(definition.script("statistics"), schema=DBO))
    report_progress(Progress(doing="reset", share=1.0))


def _identities_refused(connection: OdbcConnection, definition: SqlServerDefinition) -> TargetError | None:
    """Why the identities can't be put back; asked before the transaction, which a refusal would roll back."""
    table = next((name for name, table in definition.tables.items() if table.identity), None)
    if table is None:
        return None
    try:
        connection.query(f"{_CHECK_IDENTITY} (N'dbo.{table}', NORESEED) WITH NO_INFOMSGS")
    except TargetError as error:
        if not is_refused(error):
            raise
        return error
    return None


def _remove_in_pieces(
    connection: OdbcConnection,
    definition: SqlServerDefinition,
    counts: Mapping[str, int],
    report_progress: ReportProgress,
    cancelled: IsCancelled,
) -> None:
    """Take most of it away piece by piece, where it is too much for one transaction."""
    ranges = {piece: _ranges(connection, piece, counts) for piece in definition.pieces}
    if all(len(bounds) <= 1 for bounds in ranges.values()):
        return
    work = [(piece, after, to) for piece, bounds in ranges.items() for after, to in bounds]
    connection.query(_BEGUN)
    for done, (piece, after, to) in enumerate(work):
        if cancelled():
            raise Cancelled
        report_progress(Progress(doing=f"{piece.doing} up to {whole(to)}", share=_PIECES_TO * done / len(work)))
        (batch,) = batches_of(definition.script(piece.script))
        with cancelling(connection, cancelled):
            connection.query(batch, after, to)


def _ranges(connection: OdbcConnection, piece: Piece, counts: Mapping[str, int]) -> list[tuple[int, int]]:
    """The ranges of ids of a piece, each for one transaction."""
    built, at_once = int(piece.built.format(**counts)), piece.at_once(counts)
    newest = int(one(connection, piece.newest)[0])
    return [(after, min(after + at_once, newest)) for after in range(built, newest, at_once)]
