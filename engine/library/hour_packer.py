"""Packs the completed hours of a run in progress, and the readings of its machines when it is over.

Called by ``engine.library.run_writer`` on its thread.

So even a run of days has at most an hour of unpacked rows, and finishing it takes no longer than finishing a short one.
"""

import logging
from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import Engine, delete

from engine.errors import UserError
from engine.library.connecting import read_transaction, write_transaction
from engine.library.host_readings import has_readings, read_statuses
from engine.library.hours import ClientHour, hour_of
from engine.library.tables import host_counters
from engine.telemetry.sample import Sample

_GRACE_SECONDS = 60

_log = logging.getLogger(__name__)


class HourPacker:
    """Keeps track of the hours that have rows. An hour that can't be packed stays as rows, and is packed later."""

    def __init__(self, engine: Engine, key: int) -> None:
        self._engine = engine
        self._key = key
        self._hours: set[ClientHour] = set()
        self._newest = 0

    def note(self, samples: Iterable[Sample]) -> None:
        """Record that these samples were written as rows."""
        for sample in samples:
            self._hours.add(hour_of(sample.client, sample.second))
            self._newest = max(self._newest, sample.second)

    def pack_one(self) -> None:
        """Pack the oldest hour that ended over a minute ago, when its late samples have arrived; takes some 40 ms."""
        over = [hour for hour in self._hours if hour.end + _GRACE_SECONDS <= self._newest]
        self._pack(sorted(over, key=_in_time)[:1], lambda: False)

    def pack_all(self, cancelled: Callable[[], bool]) -> None:
        """Pack all remaining hours, when the run is over."""
        self._pack(sorted(self._hours, key=_in_time), cancelled)

    def pack_hosts(self, cancelled: Callable[[], bool]) -> None:
        """Make measurements of what was read of machines; what fails is done when the run is packed later."""
        try:
            pack_waiting_readings(self._engine, self._key, cancelled)
        except UserError as trouble:
            _log.info("the readings of machines aren't packed yet: %s", trouble)
        except Exception:  # a bug here must not end the writer's thread
            _log.exception("the readings of machines can't be packed")

    def _pack(self, hours: Sequence[ClientHour], cancelled: Callable[[], bool]) -> None:
        if not hours:
            return
        from engine.library.stored_samples import pack  # numpy with it

        for hour in hours:
            if cancelled():
                return
            try:
                with write_transaction(self._engine) as connection:
                    pack(connection, self._key, hour)
            except UserError as trouble:
                _log.info("client %d's hour %d isn't packed yet: %s", *hour, trouble)
                return
            except Exception:  # a bug here must not end the writer's thread
                _log.exception("client %d's hour %d can't be packed", *hour)
            self._hours.remove(hour)


def pack_waiting_readings(engine: Engine, key: int, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Make measurements of the readings of a run that is over, if there are any that are not packed.

    Each collector has its own transaction, so that others can write in between; what is left when it is ``cancelled``
    is read as before. Raises ``UserError``.
    """
    with read_transaction(engine) as connection:
        if not has_readings(connection, key):
            return
        statuses = read_statuses(connection, key)
    from engine.library.live_measurements import pack_collector  # numpy with it

    for status in statuses:
        if cancelled():
            return
        pack_collector(engine, key, status)
    with write_transaction(engine) as connection:
        if not has_readings(connection, key):
            connection.execute(delete(host_counters).where(host_counters.c.run_key == key))


def _in_time(hour: ClientHour) -> tuple[int, int]:
    return hour.number, hour.client
