"""What a server says of itself at a moment: what its sessions wait for, what it has done, how far standbys are behind.

Each DBMS's ``activity`` module reads it; ``engine.collect.sources.database_waits`` makes readings of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

RUNNING = "running"
CONNECT_SECONDS = 2.0
ANSWER_SECONDS = 0.9
"""A question that takes longer is given up, so that its reading is a gap and not a late one."""


@dataclass(frozen=True, kw_only=True)
class ServerActivity:
    """``None``, and a missing key, is what the DBMS does not say, or not to the user that asks.

    ``sessions`` are those at work, by ``RUNNING`` or by what they wait for. ``waited_seconds`` are the sums over all
    sessions since the server's start, by what they waited for. Counted since that start are ``buffer_hits`` and
    ``buffer_reads`` (pages found in the buffer, and those that were not), ``log_bytes`` of the transaction log, and
    ``commits``. ``lags_seconds`` is by standby.
    """

    sessions: Mapping[str, float] = field(default_factory=dict)
    waited_seconds: Mapping[str, float] = field(default_factory=dict)
    buffer_hits: float | None = None
    buffer_reads: float | None = None
    log_bytes: float | None = None
    commits: float | None = None
    lags_seconds: Mapping[str, float] = field(default_factory=dict)


class ActivityReader(Protocol):
    """Asks one server over a connection of its own; for one thread."""

    def read(self) -> ServerActivity:
        """Connect if there is no connection, and ask. Raises ``TargetError``, after which the next call connects."""
        ...

    def close(self) -> None: ...
