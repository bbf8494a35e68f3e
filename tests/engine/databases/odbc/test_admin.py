"""Long work over ODBC: it is cancelled on the server, also on one that does not heed it."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from engine.databases.database import Timeouts
from engine.databases.odbc import admin
from engine.databases.odbc.admin import cancelling, opened
from engine.errors import Cancelled, TargetError
from tests.engine.databases.odbc.conftest import Server

_FOR_EVER = 600


def test_what_is_opened_is_closed_again(server: Server) -> None:
    with opened(server.dialect, server.target, server.secret, Timeouts(statement_seconds=1)) as connection:
        assert int(connection.query("SELECT 1")[0][0]) == 1
        assert connection.raw.autocommit
    assert connection.raw.closed


def test_a_transaction_can_be_had(server: Server) -> None:
    with opened(server.dialect, server.target, server.secret, Timeouts(), autocommit=False) as connection:
        assert not connection.raw.autocommit


@pytest.mark.timeout(180)
def test_cancelled_statement_leaves_the_connection_usable(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "_CANCEL_SECONDS", 60.0)
    with opened(server.dialect, server.target, server.secret, Timeouts()) as connection:
        with pytest.raises(Cancelled), cancelling(connection, lambda: connection._in_call is not None):
            connection.query(server.sleep.format(_FOR_EVER))
        assert int(connection.query("SELECT 1")[0][0]) == 1


@pytest.mark.timeout(180)
def test_a_frozen_server_loses_the_connection(
    mariadb: Server, frozen_mariadb: Callable[[], AbstractContextManager[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin, "_CANCEL_SECONDS", 0.5)
    with (
        opened(mariadb.dialect, mariadb.target, mariadb.secret, Timeouts()) as connection,
        frozen_mariadb(),
        pytest.raises(Cancelled),
        cancelling(connection, lambda: True),
    ):
        connection.query("SELECT 1")
    assert not connection.usable


def test_other_errors_are_raised_unchanged_while_cancelling(server: Server) -> None:
    with (
        opened(server.dialect, server.target, server.secret, Timeouts()) as connection,
        pytest.raises(TargetError, match="nonsense"),
        cancelling(connection, lambda: False),
    ):
        connection.query("SELECT nonsense")


def test_cancel_watch_ends_with_the_work(server: Server) -> None:
    with (
        opened(server.dialect, server.target, server.secret, Timeouts()) as connection,
        cancelling(connection, lambda: False),
    ):
        connection.query("SELECT 1")
    assert not any(thread.name == "cancel-watch" for thread in threading.enumerate())
