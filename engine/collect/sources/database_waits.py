"""A database server from inside, once a second: what its sessions wait for, its log, its buffer, and its standbys' lag.

It asks over a connection of its own, in one query or two of views that are counted anyway; what the server does not
say, or not to this user, is left out.
"""

import math
import threading
from collections.abc import Collection, Iterator, Mapping

from engine.collect.clock import utc_now
from engine.collect.polling import poll
from engine.collect.source import SourceReading
from engine.databases import database_of
from engine.databases.activity import RUNNING, ServerActivity
from engine.errors import TargetError, UserError
from engine.figure_text import counted
from engine.secrets import Secret
from engine.target.target import Target
from engine.telemetry.host import HostValue
from engine.telemetry.host_figure import SESSIONS, HostFigure

_MEGA = 1e6
_PATIENCE_SECONDS = 60.0
RUNNING_SESSIONS = "Sessions running"
WAITING_SESSIONS = "Sessions waiting for {}"


class DatabaseWaits:
    """One target's server, and the counts of those of its ``databases`` that a run drives.

    Implements ``engine.collect.source.Source``. It has this workstation's clock.
    """

    interval_seconds = 1.0
    is_average = False

    def __init__(self, target: Target, secret: Secret | None, databases: Collection[str]) -> None:
        self._target = target
        self._databases = databases
        self._reader = database_of(target.kind).activity(target, secret, databases)
        self._before: tuple[float, ServerActivity] | None = None
        self._answered_at = -math.inf
        self._seen: set[str] = {RUNNING}

    @property
    def name(self) -> str:
        several = len(self._databases) > 1
        return counted(len(self._databases), "database") if several else f"database {self._target.database}"

    def readings(self, stop: threading.Event) -> Iterator[SourceReading]:
        self._before, self._answered_at = None, -math.inf
        yield from poll(self._ask, self.interval_seconds, stop, close=self._reader.close)

    def _ask(self) -> SourceReading | None:
        """The first reading has no rates, and a server that has answered is asked again at once when it fails over.

        Raises ``UserError`` for one that never answered, or not for ``_PATIENCE_SECONDS``.
        """
        here = utc_now()
        try:
            activity = self._reader.read()
        except TargetError as error:
            self._before = None  # another server may answer next, with counts of its own
            if here - self._answered_at < _PATIENCE_SECONDS:
                return None
            what = f"database {self._target.database} on {self._target.hosts[0].name}"
            raise UserError(f"{what} does not tell its waits: {str(error).rstrip('.')}.") from error
        self._answered_at = here
        before, self._before = self._before, (here, activity)
        self._seen.update(activity.sessions)
        values = [
            *_states(activity, self._seen),
            *([] if before is None else _rates(before[1], activity, here - before[0])),
        ]
        return SourceReading(values=tuple(values), here_utc_seconds=here)


def _states(activity: ServerActivity, seen: set[str]) -> Iterator[HostValue]:
    """What is so at the moment; what sessions have waited for before and is not named, none waits for now."""
    if activity.sessions:
        for what in sorted(seen):
            yield HostValue("", _sessions(what), SESSIONS, activity.sessions.get(what, 0.0))
    for standby, lag_seconds in activity.lags_seconds.items():
        yield HostValue.of(HostFigure.REPLICATION_LAG, lag_seconds, standby)


def _rates(before: ServerActivity, now: ServerActivity, seconds: float) -> Iterator[HostValue]:
    """What has happened since the reading before; nothing of counts that a restart has set back."""
    if seconds <= 0:
        return
    for what, waited in _increases(before.waited_seconds, now.waited_seconds).items():
        yield HostValue("", _sessions(what), SESSIONS, waited / seconds)
    hits, reads = _increase(before.buffer_hits, now.buffer_hits), _increase(before.buffer_reads, now.buffer_reads)
    if hits is not None and reads is not None and hits + reads > 0:
        yield HostValue.of(HostFigure.BUFFER_HITS, 100 * hits / (hits + reads))
    if (log_bytes := _increase(before.log_bytes, now.log_bytes)) is not None:
        yield HostValue.of(HostFigure.LOG_WRITTEN, log_bytes / seconds / _MEGA)
    if (commits := _increase(before.commits, now.commits)) is not None:
        yield HostValue.of(HostFigure.COMMITS, commits / seconds)


def _sessions(what: str) -> str:
    return RUNNING_SESSIONS if what == RUNNING else WAITING_SESSIONS.format(what)


def _increases(before: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    return {what: more for what, value in now.items() if (more := _increase(before.get(what), value)) is not None}


def _increase(before: float | None, now: float | None) -> float | None:
    return None if before is None or now is None or now < before else now - before
