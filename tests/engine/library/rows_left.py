"""Runs whose samples are rows, as they are while a run goes on, was not packed, or was packed in part."""

from collections.abc import Iterable
from pathlib import Path

from engine.library.changing import insert_run, insert_samples
from engine.library.connecting import connect, write_transaction
from engine.library.hours import ClientHour
from engine.library.stored_samples import pack
from engine.record.record import RunRecord
from engine.telemetry.sample import Sample


def keep_rows(
    path: Path,
    record: RunRecord,
    samples: Iterable[Sample],
    *,
    packed: Iterable[ClientHour] = (),
    late: Iterable[Sample] = (),
) -> int:
    """Enter a run with its samples as rows, pack some hours, and add the late ones; returns the run's key."""
    engine = connect(path)
    with write_transaction(engine) as connection:
        key = insert_run(connection, record, None)
        insert_samples(connection, key, samples)
        for hour in packed:
            pack(connection, key, hour)
        insert_samples(connection, key, late)
    engine.dispose()
    return key


def rows_left(path: Path) -> int:
    """How many samples are rows."""
    engine = connect(path)
    with write_transaction(engine) as connection:
        rows: int = connection.exec_driver_sql("SELECT count(*) FROM samples").scalar_one()
    engine.dispose()
    return rows
