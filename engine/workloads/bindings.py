"""What a workload brings for each DBMS: modules in a package for each, which are imported when needed.

Such a package is in the one that ``Workload.bindings`` names.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from engine.target.kinds import MAIL, MARIADB, MSSQL, MYSQL, POSTGRESQL, STORAGE
from engine.workload.registry import find_workload

if TYPE_CHECKING:
    from engine.databases.exchange.calls import CallTable
    from engine.databases.program import NewProgram
    from engine.target.store_layout import StoreLayout

_PACKAGES = {
    POSTGRESQL: "postgresql",
    MARIADB: "mariadb",
    MYSQL: "mariadb",
    MSSQL: "mssql",
    MAIL: "mail",
    STORAGE: "storage",
}


def calls_of(workload: str, kind: str) -> "CallTable":
    """The calls that a workload's users make of targets of a kind; raises ``BadInput`` where it has none."""
    calls: CallTable = _module(workload, kind, "calls").CALLS
    return calls


def program_of(workload: str, kind: str) -> "NewProgram":
    """What makes the program that is a client's load; raises ``BadInput`` where the workload has none."""
    new: NewProgram = _module(workload, kind, "program").program
    return new


def store_of(workload: str, kind: str) -> Any:
    """What a workload's store is on targets of a kind, as the kind's system takes it: of a database a
    ``StoreDefinition``. Raises ``BadInput`` where it has none."""
    return _module(workload, kind, "store").STORE


def is_on(workload: str, kind: str) -> bool:
    """Whether a workload can be run on targets of a kind."""
    return find_spec(f"{find_workload(workload).bindings}.{_PACKAGES[kind]}") is not None


def layout_of(workload: str, scale: object) -> "StoreLayout":
    """The files in which a SQL Server keeps a workload's store of this scale."""
    layout: StoreLayout = _module(workload, MSSQL, "store").STORE.layout(str(scale))
    return layout


def _module(workload: str, kind: str, name: str) -> ModuleType:
    if not is_on(workload, kind):
        raise BadInput(f"workload {workload} can't be run on {kind}; choose another target, or another workload.")
    return import_module(f"{find_workload(workload).bindings}.{_PACKAGES[kind]}.{name}")
