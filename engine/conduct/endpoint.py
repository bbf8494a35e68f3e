"""A store's target as it is connected to, and how sentences name it: as it was planned.

The embedded server's actual address was not entered by the user and may change with its next start.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from engine.databases.database import USUAL_TIMEOUTS, ServerInfo, Store, StoreState, Timeouts
from engine.errors import ErrorClass, TargetError, UserError
from engine.figure_text import capitalised
from engine.secrets import Secret
from engine.target.kinds import kind_facts
from engine.target.target import EMBEDDED, Target
from engine.workloads.bindings import store_of
from engine.workloads.systems import system_of

_EMBEDDED_PLACE = "the embedded server"


@dataclass(frozen=True)
class Endpoint:
    """A store's target as it is connected to (the embedded server's port is known by now), its password, and how long
    it is waited for."""

    target: Target
    secret: Secret | None
    timeouts: Timeouts = USUAL_TIMEOUTS

    def store(self, timeouts: Timeouts, workload: str) -> Store:
        """The store of a workload, by its id."""
        kind = self.target.kind
        return system_of(kind).store(self.target, self.secret, timeouts, store_of(workload, kind))


Resolve = Callable[[Target], Endpoint]


def state_or_none(store: Store) -> StoreState | None:
    """The state; ``None`` also when the embedded server has no such database yet."""
    try:
        return store.state()
    except TargetError as error:
        if error.error_class is ErrorClass.MISSING_DATABASE:
            return None
        raise


@contextmanager
def errors_as_planned(planned: Target, endpoint: Endpoint, workload: str) -> Iterator[None]:
    """Raise errors of a workload's store as a ``UserError`` that names the target as it was planned.

    The embedded server's actual address was not entered by the user and may change with its next start.
    """
    try:
        yield
    except (TargetError, UserError) as error:
        cause, remedy = _as_planned(error.cause, planned, endpoint), error.remedy
        if remedy is not None and remedy.target == endpoint.target.url:
            remedy = replace(remedy, target=planned.url)
        if remedy is not None and remedy.target:
            remedy = remedy.of(workload)
        if isinstance(error, UserError) and (cause, remedy) == (error.cause, error.remedy):
            raise
        raise UserError(cause, remedy=remedy) from error


def _as_planned(text: str, planned: Target, endpoint: Endpoint) -> str:
    text = text.replace(endpoint.target.url, planned.url)
    if planned.kind != EMBEDDED:
        return text
    for host in endpoint.target.hosts:
        for address in (f"Host {host}", f"Host {host.name}"):
            text = text.replace(address, capitalised(_EMBEDDED_PLACE))
        text = text.replace(f" on port {host.port}", "").replace(str(host), _EMBEDDED_PLACE)
    return text


def container_of(target: Target) -> str:
    """What holds a store, as sentences name it: ``database 'ds2'``."""
    return f"{kind_facts(target.kind).subject.holder} '{target.database}'"


def place_of(planned: Target, server: ServerInfo) -> str:
    """Where a store is, for a sentence; the embedded server's address is not shown."""
    return _EMBEDDED_PLACE if planned.kind == EMBEDDED else server.host
