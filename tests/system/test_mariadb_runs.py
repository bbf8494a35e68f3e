"""Whole runs on a real MariaDB through the command line: what they print and keep, and what their users survive."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.secrets import PASSWORD_VARIABLE
from engine.target import MARIADB, Host, Target
from tests.doubles.mariadb_pair import running_pair, value_on
from tests.doubles.mariadb_server import MariaDBServer
from tests.system.conftest import Spindle
from tests.system.test_whole_runs import acknowledged, check_quiet, check_totals, orders_by_second, rows_of
from tests.waiting import wait_until

CLIENTS, THREADS = 2, 3
LOAD = (
    "--clients", str(CLIENTS), "--threads", str(THREADS), "--think-time-ms", "10", "--ramp-rate", "20", "--warmup", "0",
)  # fmt: skip
DATABASE = "ds2"
BUILD = ("--db-size", "1MB")
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="these tests end processes by signals"),
    pytest.mark.timeout(300),
]


def orders_of(server: MariaDBServer) -> int:
    return int(value_on(server, "SELECT count(*) FROM orders", DATABASE))


def url_of(*hosts: Host, database: str = DATABASE) -> str:
    return Target(kind=MARIADB, hosts=hosts, database=database).url


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home of its own: the embedded server is not started."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-mariadb-home-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def store(home: Path, mariadb_server: MariaDBServer) -> Iterator[MariaDBServer]:
    """The server with a store, built by the program."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PASSWORD_VARIABLE, mariadb_server.secret.reveal())
        spindle, target = Spindle(home), ("--target", url_of(mariadb_server.host))
        spindle.ends("build", *target, *BUILD)
        yield mariadb_server
        spindle.ends("drop", *target, "--yes")
        spindle.close()


@pytest.fixture
def spindle(home: Path) -> Iterator[Spindle]:
    spindle = Spindle(home)
    yield spindle
    spindle.close()


def test_a_run_prints_its_result_and_its_orders_are_on_the_server(
    spindle: Spindle, store: MariaDBServer, tmp_path: Path
) -> None:
    before, table = orders_of(store), tmp_path / "rows.csv"

    command = spindle.start(
        "run", "--target", url_of(store.host), *LOAD, "--minutes", "0.05", "--audit", "--json", "-", "--csv", str(table)
    )

    assert command.exit_code() == 0, command.err
    result, rows = json.loads(command.out), rows_of(table.read_text(encoding="utf-8"))
    assert (result["state"], result["errors"]) == ("completed", {})
    assert result["orders"] > 0
    check_totals(result, rows)
    assert orders_of(store) - before == acknowledged(rows)
    assert result["audit"]["verdict"] == "clean"
    assert result["audit"]["orders"]["acknowledged"] == acknowledged(rows)
    [stored] = result["environment"]["servers"]
    assert (stored["product"], stored["host"]) == ("MariaDB", str(store.host))
    assert stored["settings"]["innodb_flush_log_at_trx_commit"] == "1"
    check_quiet(spindle, command.err)


def test_users_outlive_a_server_that_is_killed_and_lose_no_order(
    spindle: Spindle, store: MariaDBServer, tmp_path: Path
) -> None:
    known, before, table = spindle.run_count(), orders_of(store), tmp_path / "rows.csv"
    command = spindle.start(
        "run", "--target", url_of(store.host), *LOAD, "--minutes", "0.2", "--audit", "--json", "-", "--csv", str(table)
    )
    spindle.wait_until_measuring(known)

    store.kill()
    wait_until(lambda: spindle.samples()[-1].orders == 0, "the outage shows")
    store.start()

    assert command.exit_code() == 0, command.err
    result, rows = json.loads(command.out), rows_of(table.read_text(encoding="utf-8"))
    by_second = orders_by_second(row for row in rows if row["phase"] == "measuring")
    assert 0 in by_second.values()
    assert by_second[max(by_second)] > 0
    assert result["state"] == "completed"
    assert result["errors"]["connection_lost"] > 0
    assert result["reconnects"] == CLIENTS * THREADS
    in_doubt = sum(int(row["in_doubt"]) for row in rows)
    assert acknowledged(rows) <= orders_of(store) - before <= acknowledged(rows) + in_doubt
    assert {event["kind"] for event in result["events"]} >= {"connection lost", "connection back", "target error"}
    assert result["audit"]["verdict"] == "clean"
    check_totals(result, rows)
    check_quiet(spindle, command.err)


def test_a_frozen_server_is_a_blackout_and_its_users_go_on(spindle: Spindle, store: MariaDBServer) -> None:
    known = spindle.run_count()
    command = spindle.start("run", "--target", url_of(store.host), *LOAD, "--minutes", "0.15", "--audit", "--json", "-")
    spindle.wait_until_measuring(known)

    store.freeze()
    try:
        wait_until(lambda: spindle.samples()[-1].orders == 0, "the blackout shows")
    finally:
        store.thaw()

    assert command.exit_code() == 0, command.err
    result = json.loads(command.out)
    by_second = orders_by_second(rows_of(spindle.ends("library", "export", result["run_id"], "--csv", "-")))
    assert 0 in by_second.values()
    assert by_second[max(by_second)] > 0
    assert result["audit"]["verdict"] == "clean"
    check_quiet(spindle, command.err)


def test_ctrl_c_stops_in_order(spindle: Spindle, store: MariaDBServer) -> None:
    known, before = spindle.run_count(), orders_of(store)
    command = spindle.start("run", "--target", url_of(store.host), *LOAD, "--minutes", "0", "--quiet", "--json", "-")
    spindle.wait_until_measuring(known)

    command.press_ctrl_c()

    assert command.exit_code() == 130, command.err
    result = json.loads(command.out)
    rows = rows_of(spindle.ends("library", "export", result["run_id"], "--csv", "-"))
    assert result["state"] == "stopped"
    assert orders_of(store) - before == acknowledged(rows)
    check_quiet(spindle, command.err)


def test_reset_takes_every_run_back(spindle: Spindle, store: MariaDBServer) -> None:
    target = ("--target", url_of(store.host))
    spindle.ends("reset", *target)
    pristine = orders_of(store)
    spindle.ends("run", *target, *LOAD, "--minutes", "0.03", "--quiet")
    assert orders_of(store) > pristine

    spindle.ends("reset", *target)

    assert orders_of(store) == pristine
    spindle.ends("verify", *target)


def test_a_wrong_password_is_said_before_anything_starts(
    spindle: Spindle, store: MariaDBServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = spindle.run_count()
    monkeypatch.setenv(PASSWORD_VARIABLE, "rosebud")

    command = spindle.start("run", "--target", url_of(store.host), *LOAD, "--minutes", "0.1")

    assert command.exit_code() != 0
    assert "rejected user 'root'" in command.err
    assert str(store.host) in command.err
    assert "rosebud" not in command.err + spindle.log()
    assert spindle.run_count() == known
    check_quiet(spindle, command.err)


def test_a_database_that_is_missing_is_said_with_its_mend(spindle: Spindle, store: MariaDBServer) -> None:
    command = spindle.start("run", "--target", url_of(store.host, database="nowhere"), *LOAD, "--minutes", "0.1")

    assert command.exit_code() != 0
    assert "nowhere" in command.err
    assert "spindle build" in command.err
    check_quiet(spindle, command.err)


def test_users_follow_a_failover_to_the_replica_and_no_order_is_lost(
    tmp_path: Path, spindle: Spindle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A semi-synchronous pair whose primary is killed; a fault of the plan promotes the replica."""
    table = tmp_path / "rows.csv"
    with running_pair() as (primary, replica):
        monkeypatch.setenv(PASSWORD_VARIABLE, primary.secret.reveal())
        both = ("--target", url_of(primary.host, replica.host))
        spindle.ends("build", *both, *BUILD)
        known = spindle.run_count()
        promote = "T+6s sql 'SET GLOBAL read_only = OFF' on host2"
        command = spindle.start(
            "run", *both, *LOAD, "--minutes", "0.25", "--fault", promote, "--yes-hurt", replica.host.name,
            "--audit", "--json", "-", "--csv", str(table),
        )  # fmt: skip
        spindle.wait_until_measuring(known)
        primary.kill()

        assert command.exit_code() == 0, command.err
        result, rows = json.loads(command.out), rows_of(table.read_text(encoding="utf-8"))
        assert result["errors"]["connection_lost"] > 0
        assert result["reconnects"] == CLIENTS * THREADS
        by_second = orders_by_second(row for row in rows if row["phase"] == "measuring")
        assert 0 in by_second.values()
        assert by_second[max(by_second)] > 0
        assert result["audit"]["verdict"] == "clean"
        assert result["audit"]["orders"]["lost"] == 0
        check_quiet(spindle, command.err)
