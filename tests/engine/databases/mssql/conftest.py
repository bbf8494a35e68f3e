"""A recorded SQL Server, in place of what pyodbc would connect to."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pyodbc
import pytest

from engine.databases.odbc import packaged_driver
from engine.target.target import Host, Target
from tests.doubles.recorded_sql_server import RecordedSqlServer
from tests.engine.databases.mssql.recorded_store import RecordedStore


@pytest.fixture(autouse=True)
def installed_drivers_alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the package of Microsoft's driver is installed here matters to its own tests alone."""
    if request.path.name != "test_microsoft_driver.py":
        monkeypatch.setattr(packaged_driver, "packaged_library", lambda: None)


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> RecordedSqlServer:
    """The server that every connection leads to; it lets everybody in, and takes writes."""
    server = RecordedSqlServer()
    server.answers(r"^SET NOCOUNT ON; SET XACT_ABORT ON", None)
    server.answers(r"^SELECT CONVERT.*DB_NAME\(\), 'Updateability'", [("READ_WRITE",)])
    monkeypatch.setattr(pyodbc, "connect", server.connect)
    monkeypatch.setattr(pyodbc, "drivers", lambda: ["FreeTDS", "ODBC Driver 18 for SQL Server"])
    return server


@pytest.fixture
def recorded_store(monkeypatch: pytest.MonkeyPatch) -> RecordedStore:
    """The server that every connection leads to; it holds no store and no database but its own."""
    server = RecordedStore()
    monkeypatch.setattr(pyodbc, "connect", server.connect)
    monkeypatch.setattr(pyodbc, "drivers", lambda: ["ODBC Driver 18 for SQL Server"])
    return server


@pytest.fixture
def target() -> Iterator[Target]:
    """A store on two hosts, whose ports are open for whoever looks whether anything is there."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        hosts = tuple(Host("127.0.0.1", listener.getsockname()[1]) for listener in listeners)
        yield Target(kind="mssql", hosts=hosts, database="shop", user="ann")
