"""What the wizard's work on stores says of the stores of each workload: a file of storage is not called a store."""

from typing import Any, NoReturn, Self

import pytest

from app.new_run.jobs import build_stores, probe_target, stores_in_the_way
from engine.databases.database import ServerInfo, StoreState, Timeouts
from engine.databases.replacing import Replacement
from engine.errors import Cancelled, ErrorClass, TargetError, UserError
from engine.plan.plan import RunPlan
from engine.target.sql_server_options import TRUSTING
from engine.target.target import MSSQL, Host, Target
from engine.workload.registry import DVD_STORE, STORAGE, WHOLESALE

WAREHOUSES = RunPlan(
    workload=WHOLESALE,
    targets=(Target(kind=MSSQL, hosts=(Host("db1", 1433),), database="shop"),),
    parameters={"warehouses": 10},
)
FILES = RunPlan(
    workload=STORAGE,
    targets=(Target(kind=STORAGE, database="/data/f"), Target(kind=STORAGE, database="/data/g")),
    parameters={"file_size": "64MB"},
)


class Stored:
    """A store in a state, whose build is cancelled."""

    timeouts = Timeouts()

    def __init__(self, state: StoreState | None) -> None:
        self._state = state

    def store(self, _timeouts: Timeouts, _workload: str) -> Self:
        return self

    def open_lease(self) -> NoReturn:
        raise TargetError(ErrorClass.MISSING_DATABASE, "there is none")

    def server(self) -> ServerInfo:
        return ServerInfo(product="fio", version="3.33", host="db1", writable=True, settings={}, connect_ms=1.0)

    def state(self) -> Any:
        return self._state

    def replacement(self, _scale: str) -> Replacement:
        assert self._state is not None
        return Replacement(scale=self._state.scale, host="db1", obstacle="there is no room for two")

    def build(self, *_: object, **__: object) -> None:
        raise Cancelled


def _found(state: StoreState | None) -> Any:
    return lambda _planned: Stored(state)


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (None, "file '/data/f' is not built yet"),
        (StoreState(workload=STORAGE, scale="64MB", seed=1, complete=True), "file '/data/f' is a 64MB file, as built"),
        (
            StoreState(workload=STORAGE, scale="64MB", seed=1, complete=False),
            "file '/data/f' is a file that is only partly built: build it again",
        ),
    ],
)
def test_connection_test_of_storage_speaks_of_a_file(state: StoreState | None, says: str) -> None:
    found = probe_target(_found(state), Target(kind=STORAGE, database="/data/f"), STORAGE)
    assert found.sentence.split("; ")[-1] == f"{says}."


def test_refusal_of_a_connection_test_begins_with_a_capital() -> None:
    def refuse(_planned: Target) -> NoReturn:
        raise UserError("the folder of /data/f does not exist")

    found = probe_target(refuse, Target(kind=STORAGE, database="/data/f"), STORAGE)
    assert found.sentence.startswith("The folder of /data/f")


def test_refusal_of_a_connection_test_names_fields_instead_of_options() -> None:
    def refuse(_planned: Target) -> NoReturn:
        raise UserError(f"multi_subnet_failover is given; trust the certificate ({TRUSTING}).")

    found = probe_target(refuse, Target(kind=MSSQL, hosts=(Host("db1", 1433),)), DVD_STORE)
    assert found.sentence == (
        "Listener is given; trust the certificate (Encrypted, with “Trust the server's certificate”)."
    )


@pytest.mark.parametrize(
    ("state", "left"),
    [
        (None, "is not built"),
        (StoreState(workload=STORAGE, scale="64MB", seed=1, complete=True), "is still the 64MB file"),
        (StoreState(workload=STORAGE, scale="64MB", seed=1, complete=False), "is a file that is only partly built"),
    ],
)
def test_cancelled_build_of_storage_speaks_of_files(state: StoreState | None, left: str) -> None:
    result = build_stores(_found(state), FILES, replace=True, on_progress=lambda *_: None, cancelled=lambda: False)
    assert result.sentence == f"Cancelled; file '/data/f' {left}; not begun: 1 file."


@pytest.mark.parametrize(
    ("plan", "scale", "holds"),
    [
        (FILES, "64MB", "File /data/f on this machine is a 64MB file."),
        (WAREHOUSES, "10", "Database 'shop' on db1 holds a store of 10 warehouses."),
    ],
)
def test_what_is_replaced_is_called_as_its_workload_does(plan: RunPlan, scale: str, holds: str) -> None:
    state = StoreState(workload=plan.workload, scale=scale, seed=1, complete=True)
    found = stores_in_the_way(_found(state), plan)
    assert found[0].sentence == f"{holds} There is no room for two."
