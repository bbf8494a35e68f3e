"""Resolves the targets of plans: their passwords, and the embedded server, which runs while anything needs it.

The command line makes one for each command, the window one for its lifetime; conductors and work on stores use it.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from engine.conduct.endpoint import Endpoint, errors_as_planned
from engine.databases.database import USUAL_TIMEOUTS, Store, Timeouts
from engine.errors import UserError
from engine.faults.lab_actions import LabAction
from engine.lab.events import LabEvent
from engine.lab.server import EmbeddedServer
from engine.lab.shapes import LabShape
from engine.lab.status import LabStatus
from engine.machines.access import access_to_dict
from engine.machines.inventory import Inventory, read_inventory
from engine.machines.storage_access import storage_access
from engine.places import Places
from engine.secrets import Secret
from engine.target.target import EMBEDDED, Target

if TYPE_CHECKING:
    from engine.cluster.connection import ClusterConnection


class Targets:
    """Resolves planned targets and their passwords; holds the embedded server while anything needs it. Thread-safe."""

    def __init__(
        self,
        places: Places,
        *,
        secrets: Mapping[str, Secret],
        find: Callable[[str], Secret | None],
        notify: Callable[[str], None],
        who: str = "",
        timeouts: Timeouts = USUAL_TIMEOUTS,
    ) -> None:
        """``secrets`` are the passwords known so far, by ``Target.secret_name``; ``find`` looks up the others.

        ``who`` is the name of this program for others that use the embedded server; ``timeouts`` are those of what is
        resolved from now on, and of runs that are prepared from now on.
        """
        self.timeouts = timeouts
        self._places = places
        self._secrets: dict[str, Secret | None] = dict(secrets)
        self._find = find
        self._notify = notify
        self._who = who
        self._embedded: EmbeddedServer | None = None
        self._shape: LabShape | None = None
        self._lock = threading.Lock()
        self._secrets_lock = threading.Lock()  # never held over slow work: the window's main thread waits for it

    def resolve(self, planned: Target, *, as_it_is: bool = False) -> Endpoint:
        """The endpoint of a target; starts the embedded server if that is the target, and repairs it if it was started.

        With ``as_it_is``, an embedded server that was started in this shape is left as it is, so that what an action
        did to it lasts. Raises ``UserError``.
        """
        if planned.kind == EMBEDDED:
            with self._lock:
                return self._resolve_embedded(planned, as_it_is=as_it_is)
        if planned.storage.machine:
            return Endpoint(self._reached(planned), None, self.timeouts)
        secret = self.secret(planned.secret_name) if planned.takes_password else None
        return Endpoint(planned, secret, self.timeouts)

    def _reached(self, planned: Target) -> Target:
        """A file on a machine of the inventory, with what is known of reaching it; raises ``BadInput``."""
        access = storage_access(self.inventory().machine(planned.storage.machine))
        reached = tuple(access_to_dict(access).items())
        return replace(planned, storage=replace(planned.storage, reached=reached))

    @contextmanager
    def store(self, planned: Target, workload: str) -> Iterator[Store]:
        """The store of a workload on a target; within the block every error is raised as ``UserError``."""
        endpoint = self.resolve(planned)
        with errors_as_planned(planned, endpoint, workload):
            yield endpoint.store(self.timeouts, workload)

    def remember(self, secrets: Mapping[str, Secret]) -> None:
        """Use these passwords from now on, by ``Target.secret_name``. Never waits."""
        with self._secrets_lock:
            self._secrets.update(secrets)

    def secret(self, name: str) -> Secret | None:
        """The password kept under a target's name, or under another one, such as a management controller's."""
        with self._lock:  # one lookup at a time: the keyring may ask the user for something
            if name not in self._secrets:
                found = self._find(name)
                with self._secrets_lock:
                    self._secrets.setdefault(name, found)  # a password typed meanwhile is newer
            return self._secrets[name]

    def secrets(self) -> tuple[Secret, ...]:
        """Every password known so far, so that it can be masked."""
        with self._secrets_lock:
            known = [secret for secret in self._secrets.values() if secret is not None]
        return (*known, self._embedded.secret) if self._embedded is not None else tuple(known)

    def inventory(self) -> Inventory:
        """The machines of the home, as its file has them now; raises ``BadInput`` when it can't be read."""
        return read_inventory(self._places.machines)

    def connect_cluster(self) -> "ClusterConnection":
        """The connection to the load machines of the home; to be closed. Raises ``UserError`` when none run."""
        from engine.cluster.connection import ClusterConnection  # most runs need none of it

        return ClusterConnection.connect(self._places.cluster)

    def start_lab(self, shape: LabShape, *, notify: Callable[[str], None]) -> LabStatus:
        """Start or reshape the embedded server, and hold it; returns its status. Raises ``UserError``."""
        with self._lock:
            return self._started(shape, notify).status()

    def run_lab_action(self, action: LabAction, *, node: int | None = None, value: float | None = None) -> str:
        """Do an action in the embedded server's lab; returns what was done. Raises ``UserError``."""
        if self._embedded is None:
            raise UserError("the embedded server is not in use; make it a target first.")
        return self._embedded.do(action, node=node, value=value)

    def lab_news(self) -> list[LabEvent]:
        """The events of the embedded server's lab since the last call. Never waits."""
        return self._embedded.news() if self._embedded is not None else []

    def _resolve_embedded(self, planned: Target, *, as_it_is: bool) -> Endpoint:
        shape, embedded = LabShape.of(planned), self._embedded
        if embedded is None or not as_it_is or shape != self._shape:
            embedded = self._started(shape, self._notify)
        return Endpoint(embedded.target(planned.database), embedded.secret, self.timeouts)

    def _started(self, shape: LabShape, notify: Callable[[str], None]) -> EmbeddedServer:
        if self._embedded is None:
            self._embedded = EmbeddedServer.attach(self._places.lab, notify=notify, shape=shape, who=self._who)
        else:
            self._embedded.start(notify=notify, shape=shape)  # it may have died since it was last needed
        self._shape = shape
        return self._embedded

    def close(self) -> None:
        """Release the embedded server; it stops if nobody else holds it."""
        embedded, self._embedded = self._embedded, None
        if embedded is not None:
            embedded.detach()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
