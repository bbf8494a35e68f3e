"""Packs what is stored of runs that are over."""

from collections.abc import Callable

from sqlalchemy import Engine

from engine.library import reading
from engine.library.connecting import read_transaction, write_transaction
from engine.library.hour_packer import pack_waiting_readings
from engine.library.watch import Watch


class RunPacker:
    """Packs samples and readings of machines; raises ``UserError`` as the methods of ``Library`` do."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def pack(self, run_id: str) -> None:
        """Pack the remaining rows of a run that is over; it reads the same afterwards, but faster."""
        self._pack(self._key_of(run_id), Watch(None, None))

    def pack_readings(self, run_id: str) -> None:
        """Make measurements of what was read of machines in a run that is over; ``Library.host`` has them before,
        too."""
        pack_waiting_readings(self._engine, self._key_of(run_id))

    def pack_all(
        self, *, on_progress: Callable[[float], None] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> None:
        """Pack the samples of all runs that are over, deleted ones too. Each hour of a client has its own transaction,
        so that others can write in between. Raises ``Cancelled``; hours that were packed until then stay packed."""
        with read_transaction(self._engine) as connection:
            keys = reading.unpacked_keys(connection)
        for number, key in enumerate(keys):
            self._pack(key, Watch(on_progress, cancelled).part(number, len(keys)))
            pack_waiting_readings(self._engine, key)

    def _key_of(self, run_id: str) -> int:
        with read_transaction(self._engine) as connection:
            return reading.key_of(connection, run_id)

    def _pack(self, key: int, watch: Watch) -> None:
        from engine.library.stored_samples import pack, unpacked_hours  # numpy takes long to load

        with read_transaction(self._engine) as connection:
            hours = unpacked_hours(connection, key)
        for hour in watch.over(hours, len(hours)):
            with write_transaction(self._engine) as connection:
                pack(connection, key, hour)
