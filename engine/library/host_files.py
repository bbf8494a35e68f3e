"""The measurements of hosts and meters of the library's runs: ``Library.host``."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, RowMapping, delete, func, insert, select, update

from engine.errors import BadInput, Remedy, RemedyKind, UnknownName
from engine.library.connecting import read_transaction, write_transaction
from engine.library.host_readings import has_readings, read_statuses
from engine.library.reading import key_of
from engine.library.tables import host_columns, host_files
from engine.telemetry.host import CollectorStatus

if TYPE_CHECKING:
    from engine.analysis.host.measurement import HostMeasurement
    from engine.analysis.host.series import HostSeries


class HostMeasurements:
    """Host counters and meters of runs, by run and number from 1.

    Every method raises ``UserError`` when the file can't be read or written, or the run or number does not exist.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of_run(self, run_id: str) -> "list[HostMeasurement]":
        """All measurements of a run, in the order of their import; the last are those of collectors that still read."""
        with read_transaction(self._engine) as connection:
            key = key_of(connection, run_id)
            query = select(host_files).where(host_files.c.run_key == key).order_by(host_files.c.number)
            sources = {status.number: status.source for status in read_statuses(connection, key)}
            kept = [
                replace(kept, source=sources.get(kept.collector or 0, ""))
                for row in connection.execute(query).mappings().all()
                for kept in (_read(connection, row),)
            ]
            if not has_readings(connection, key):
                return kept
            from engine.library.live_measurements import unpacked_measurements

            last = max((each.number for each in kept), default=0)
            return [*kept, *unpacked_measurements(connection, key, last)]

    def collectors(self, run_id: str) -> list[CollectorStatus]:
        """The newest state of each collector of a run, in the order of their numbers."""
        with read_transaction(self._engine) as connection:
            return read_statuses(connection, key_of(connection, run_id))

    def add(
        self,
        run_id: str,
        series: "Sequence[HostSeries]",
        *,
        kind: str,
        file_name: str,
        shift_seconds: float = 0.0,
        note: str = "",
        collector: int | None = None,
    ) -> "HostMeasurement":
        """Store the series of one file with a run, under the next number, or again those of a ``collector``.

        Raises ``BadInput`` for a file without series, and for a shift of more than a year.
        """
        from engine.analysis.host.figures import check_shift
        from engine.library.host_packing import packed_series

        if not series:
            raise BadInput(f"{file_name} holds no counter; nothing was kept.")
        check_shift(shift_seconds)
        with write_transaction(self._engine) as connection:
            key = key_of(connection, run_id)
            last = connection.execute(select(func.max(host_files.c.number)).where(host_files.c.run_key == key)).scalar()
            number = 1 + (last or 0)
            values = {"kind": kind, "file_name": file_name, "shift_seconds": shift_seconds, "note": note}
            connection.execute(insert(host_files).values(run_key=key, number=number, collector=collector, **values))
            rows = [{"run_key": key, "number": number, **row} for row in packed_series(series)]
            connection.execute(insert(host_columns), rows)
            return _read(connection, _row(connection, key, run_id, number))

    def shift(self, run_id: str, number: int, shift_seconds: float) -> None:
        """Set by how many seconds the measuring clock was behind."""
        from engine.analysis.host.figures import check_shift

        check_shift(shift_seconds)
        self._change(run_id, number, shift_seconds=shift_seconds)

    def set_note(self, run_id: str, number: int, note: str) -> None:
        """Replace the measurement's note."""
        self._change(run_id, number, note=note)

    def remove(self, run_id: str, number: int) -> "HostMeasurement":
        """Remove a measurement from a run, and return it."""
        with write_transaction(self._engine) as connection:
            key = key_of(connection, run_id)
            removed = _read(connection, _row(connection, key, run_id, number))
            connection.execute(delete(host_files).where(host_files.c.run_key == key, host_files.c.number == number))
            return removed

    def _change(self, run_id: str, number: int, **values: object) -> None:
        with write_transaction(self._engine) as connection:
            key = key_of(connection, run_id)
            _row(connection, key, run_id, number)
            chosen = update(host_files).where(host_files.c.run_key == key, host_files.c.number == number)
            connection.execute(chosen.values(**values))


def _row(connection: Connection, key: int, run_id: str, number: int) -> RowMapping:
    query = select(host_files).where(host_files.c.run_key == key, host_files.c.number == number)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise UnknownName(
            f"run '{run_id}' has no measurement {number}",
            remedy=Remedy(kind=RemedyKind.LIST_MEASUREMENTS, name=run_id),
        )
    return row


def _read(connection: Connection, row: RowMapping) -> "HostMeasurement":
    from engine.analysis.host.counters import with_known_unit
    from engine.analysis.host.measurement import HostMeasurement
    from engine.library.host_packing import unpacked_series

    columns = (
        select(host_columns)
        .where(host_columns.c.run_key == row["run_key"], host_columns.c.number == row["number"])
        .order_by(host_columns.c.column)
    )
    return HostMeasurement(
        number=row["number"],
        kind=row["kind"],
        file_name=row["file_name"],
        series=tuple(map(with_known_unit, unpacked_series(connection.execute(columns).mappings().all()))),
        shift_seconds=row["shift_seconds"],
        note=row["note"],
        collector=row["collector"],
    )
