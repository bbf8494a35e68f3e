"""Promotes a standby when the primary is gone, and brings the old one back, if the lab's shape says so.

Called by the lab after each iteration of the keeper's main loop. ``fast`` checks the primary's process, whose end wakes
the keeper; ``probe`` queries the primary over its network, and so also detects a frozen or unreachable one.
"""

import time
from collections.abc import Callable

from engine.errors import UserError
from engine.lab.cluster import Cluster
from engine.lab.events import LabEventKind
from engine.lab.node import DOWN, RUNNING
from engine.lab.prober import Prober
from engine.lab.promotion import promote
from engine.target.target import FAST, MANUAL, PROBE

_RETRY_SECONDS = 1.0
_PROTECT_EVERY_SECONDS = 0.2


class Supervisor:
    """Watches a cluster. ``wake`` has ``supervise`` called soon; it may be called from any thread."""

    def __init__(self, cluster: Cluster, wake: Callable[[], None]) -> None:
        self._cluster = cluster
        self._wake = wake
        self._prober: Prober | None = None
        self._watched: tuple[object, ...] = ()
        self._not_before = 0.0
        self._protect_at = 0.0
        self._rejoin_at: float | None = None
        self._goal: tuple[int, int] | None = None
        self._seen_dead = 0

    def supervise(self) -> None:
        """Do what is due. A failure becomes an event, and is tried again."""
        self._watch()
        self._notice_death()
        if self._cluster.shape.nodes == 1:
            return
        now = time.monotonic()
        try:
            if self._is_gone() and now >= self._not_before:
                self._not_before = now + _RETRY_SECONDS
                self._fail_over()
            elif self._rejoin_at is not None and now >= self._rejoin_at:
                self._rejoin_at = None
                self._rejoin()
            elif now >= self._protect_at:
                self._protect_at = now + _PROTECT_EVERY_SECONDS
                self._protect()
        except UserError as error:
            self._cluster.report(LabEventKind.FAILED, self._cluster.primary.name, str(error))

    def stop(self) -> None:
        if self._prober is not None:
            self._prober.stop()
            self._prober = None

    def _watch(self) -> None:
        """Ask the primary of today, as the shape wants it; a new primary begins with no misses."""
        shape, wiring = self._cluster.shape, self._cluster.wiring
        watched = (shape, self._cluster.generation) if shape.failover == PROBE and wiring is not None else ()
        if watched == self._watched:
            return
        self._watched = watched
        self.stop()
        if watched and wiring is not None:
            port = wiring.client_port(self._cluster.primary.name)
            self._prober = Prober(port, interval_seconds=shape.probe_interval_seconds, on_miss=self._wake)

    def _notice_death(self) -> None:
        primary = self._cluster.primary
        if primary.pid is None and self._seen_dead != self._cluster.generation:
            self._seen_dead = self._cluster.generation
            self._cluster.report(LabEventKind.DIED, primary.name, f"{primary.name}, the primary, has ended")

    def _is_gone(self) -> bool:
        shape = self._cluster.shape
        if shape.failover == MANUAL:
            return False
        if shape.failover == FAST:
            return self._cluster.primary.state == DOWN
        return self._prober is not None and self._prober.misses >= shape.probe_misses

    def _fail_over(self) -> None:
        cluster, shape = self._cluster, self._cluster.shape
        old = cluster.primary
        if self._prober is not None:
            text = f"{old.name} did not answer {self._prober.misses} times in a row"
            cluster.report(LabEventKind.UNANSWERED, old.name, text)
        if shape.sync and not cluster.synchronous:
            self._not_before = time.monotonic() + 60 * _RETRY_SECONDS
            raise UserError(
                f"{old.name} is gone and no standby is known to have everything: start {old.name} again, or promote a"
                " standby and lose what is missing."
            )
        promote(cluster)
        self._not_before = 0.0
        if shape.rejoin_after_seconds is not None:
            self._rejoin_at = time.monotonic() + shape.rejoin_after_seconds

    def _rejoin(self) -> None:
        for node in self._cluster.unattached_nodes():
            self._cluster.follow(node, lambda _: None)
        self._cluster.protect()

    def _protect(self) -> None:
        """Protect commits as soon as a standby follows that they don't wait for yet.

        One that only seems to follow would have them wait for ever: it has to replay what was written at the last look.
        """
        cluster = self._cluster
        waiting = [node for node in cluster.standbys if node.name not in cluster.synchronous and node.state == RUNNING]
        if not (cluster.shape.sync and waiting and cluster.primary.state == RUNNING) or cluster.is_released:
            self._goal = None
            return
        seen, self._goal = self._goal, (cluster.generation, cluster.written())
        if seen is not None and seen[0] == cluster.generation:
            cluster.protect(seen[1])
