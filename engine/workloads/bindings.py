"""What a workload brings for each DBMS: the modules of its package ``bindings``, each imported when needed."""

from importlib import import_module
from typing import TYPE_CHECKING

from engine.target.kinds import MARIADB, MSSQL, MYSQL, POSTGRESQL

if TYPE_CHECKING:
    from engine.databases.definition import StoreDefinition
    from engine.databases.exchange.calls import CallTable

_PACKAGES = {POSTGRESQL: "postgresql", MARIADB: "mariadb", MYSQL: "mariadb", MSSQL: "mssql"}


def calls_of(workload: str, kind: str) -> "CallTable":
    """The calls that a workload's users make of targets of a kind."""
    calls: CallTable = import_module(f"engine.workloads.{workload}.bindings.{_PACKAGES[kind]}.calls").CALLS
    return calls


def store_of(workload: str, kind: str) -> "StoreDefinition":
    """What a workload's store is on targets of a kind."""
    store: StoreDefinition = import_module(f"engine.workloads.{workload}.bindings.{_PACKAGES[kind]}.store").STORE
    return store
