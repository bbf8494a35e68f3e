"""Whole runs on a real MariaDB through the command line: what they print and keep, and what their users survive."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.secrets import PASSWORD_VARIABLE
from engine.target.target import MARIADB, Host, Target
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE
from tests.doubles.mariadb_pair import running_pair, value_on
from tests.doubles.mariadb_server import MariaDBServer
from tests.system.conftest import COMMAND_SECONDS, Spindle
from tests.system.server_runs import (
    BUILD,
    CLIENTS,
    DATABASE,
    LOAD,
    THREADS,
    UNTIL_STOPPED,
    RunsOnAServer,
    built_store,
    orders_of,
    url_of,
)
from tests.system.test_whole_runs import acknowledged, check_quiet, has_outage, rows_of
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="these tests end processes by signals"),
    pytest.mark.timeout(300),
]


def url_to(*hosts: Host, database: str = DATABASE) -> str:
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
    with built_store(home, mariadb_server):
        yield mariadb_server


@pytest.fixture
def spindle(home: Path) -> Iterator[Spindle]:
    spindle = Spindle(home)
    yield spindle
    spindle.close()


class TestRuns(RunsOnAServer):
    """What every server is asked for."""


def test_frozen_server_causes_a_blackout_and_users_continue(spindle: Spindle, store: MariaDBServer) -> None:
    known = spindle.run_count()
    command = spindle.start("run", "--target", url_of(store), *LOAD, *UNTIL_STOPPED, "--audit", "--json", "-")
    spindle.wait_until_measuring(known)

    store.freeze()
    try:
        wait_until(spindle.is_without_orders, "the blackout shows", timeout_seconds=COMMAND_SECONDS)
    finally:
        store.thaw()
    spindle.wait_until_all_order(reconnects=0)
    command.press_ctrl_c()

    assert command.exit_code() == 130, command.err
    result = json.loads(command.out)
    assert has_outage(rows_of(spindle.prints("library", "export", result["run_id"], "--csv", "-")))
    assert result["audit"]["verdict"] == "clean"
    check_quiet(spindle, command.err)


def test_ctrl_c_stops_in_order(spindle: Spindle, store: MariaDBServer) -> None:
    known, before = spindle.run_count(), orders_of(store)
    command = spindle.start("run", "--target", url_of(store), *LOAD, "--minutes", "0", "--quiet", "--json", "-")
    spindle.wait_until_measuring(known)

    command.press_ctrl_c()

    assert command.exit_code() == 130, command.err
    result = json.loads(command.out)
    rows = rows_of(spindle.prints("library", "export", result["run_id"], "--csv", "-"))
    assert result["state"] == "stopped"
    assert orders_of(store) - before == acknowledged(rows)
    check_quiet(spindle, command.err)


def test_reset_removes_all_run_data(spindle: Spindle, store: MariaDBServer) -> None:
    target = ("--target", url_of(store))
    spindle.ends("reset", *target)
    pristine = orders_of(store)
    spindle.ends("run", *target, *LOAD, "--minutes", "0.03", "--quiet")
    assert orders_of(store) > pristine

    spindle.ends("reset", *target)

    assert orders_of(store) == pristine
    spindle.ends("verify", *target)


def test_wrong_password_is_reported_before_the_run(
    spindle: Spindle, store: MariaDBServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = spindle.run_count()
    monkeypatch.setenv(PASSWORD_VARIABLE, "rosebud")

    command = spindle.start("run", "--target", url_of(store), *LOAD, "--minutes", "0.1")

    assert command.exit_code() != 0
    assert "rejected user 'root'" in command.err
    assert str(store.host) in command.err
    assert "rosebud" not in command.err + spindle.log()
    assert spindle.run_count() == known
    check_quiet(spindle, command.err)


def test_missing_database_is_reported_with_a_remedy(spindle: Spindle, store: MariaDBServer) -> None:
    command = spindle.start("run", "--target", url_to(store.host, database="nowhere"), *LOAD, "--minutes", "0.1")

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
        both = ("--target", url_to(primary.host, replica.host))
        spindle.ends("build", *both, *BUILD)
        known = spindle.run_count()
        promote = "T+15s sql 'SET GLOBAL read_only = OFF' on host2"
        command = spindle.start(
            "run", *both, *LOAD, *UNTIL_STOPPED, "--fault", promote, "--yes-hurt", replica.host.name,
            "--audit", "--json", "-", "--csv", str(table),
        )  # fmt: skip
        spindle.wait_until_measuring(known)
        primary.kill()
        wait_until(spindle.is_without_orders, "the outage shows", timeout_seconds=COMMAND_SECONDS)
        spindle.wait_until_all_order(reconnects=CLIENTS * THREADS)
        command.press_ctrl_c()

        assert command.exit_code() == 130, command.err
        result, rows = json.loads(command.out), rows_of(table.read_text(encoding="utf-8"))
        assert result["errors"]["connection_lost"] > 0
        assert result["reconnects"] == CLIENTS * THREADS
        assert has_outage(row for row in rows if row["phase"] == "measuring")
        assert result["audit"]["verdict"] == "clean"
        assert result["audit"]["orders"]["lost"] == 0
        check_quiet(spindle, command.err)


def test_no_trade_is_lost_when_users_of_brokerage_follow_a_failover(
    spindle: Spindle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with trades, whose results the market owes: on the promoted replica the store's conditions hold."""

    def results() -> int:
        """The Trade-Results of the newest run that are durable."""
        return sum(each.of("trade_result").n for each in spindle.samples())

    def pause_seconds() -> int:
        """How long ago the last of them was counted."""
        counted = [each.second for each in spindle.samples() if each.of("trade_result").n]
        return max(each.second for each in spindle.samples()) - max(counted, default=0)

    users = 8
    with running_pair() as (primary, replica):
        monkeypatch.setenv(PASSWORD_VARIABLE, primary.secret.reveal())
        both = ("--workload", "brokerage", "--target", url_to(primary.host, replica.host, database="brokerage"))
        spindle.ends("build", *both, "--customers", "1000", "--days", "1")
        known = spindle.run_count()
        promote = "T+15s sql 'SET GLOBAL read_only = OFF' on host2"
        command = spindle.start(
            "run", *both, "--threads", str(users), "--ramp-rate", "20", "--warmup", "0", *UNTIL_STOPPED,
            "--fault", promote, "--yes-hurt", replica.host.name, "--audit", "--json", "-",
        )  # fmt: skip
        wait_until(lambda: spindle.run_count() > known, "the run begins", timeout_seconds=COMMAND_SECONDS)
        wait_until(lambda: results() > 0, "trades are completed", timeout_seconds=COMMAND_SECONDS)
        primary.kill()
        wait_until(lambda: pause_seconds() > 1, "the outage shows", timeout_seconds=COMMAND_SECONDS)
        before = results()

        def are_back() -> bool:
            return results() > before and sum(each.reconnects for each in spindle.samples()) == users

        wait_until(are_back, "users complete trades again", timeout_seconds=COMMAND_SECONDS)
        command.press_ctrl_c()

        assert command.exit_code() == 130, command.err
        result = json.loads(command.out)
        assert result["errors"]["connection_lost"] > 0
        assert result["reconnects"] == users
        (audit,) = result["audit"]["stores"]
        assert (audit["verdict"], audit["counts"]["lost"]) == ("clean", 0)
        assert [each["wrong"] for each in audit["consistency"]] == [0, 0, 0]
        counts = {"trade_orders": "1 = 1", "trade_results": "t_st_id = 'CMPT'"}
        for counted, condition in counts.items():
            made = f"SELECT count(*) FROM trade WHERE t_id >= {FIRST_RUN_TRADE} AND {condition}"
            assert int(value_on(replica, made, "brokerage")) >= result["since_start"][counted] > 0
        check_quiet(spindle, command.err)


def test_a_campaign_restarts_the_server_and_waits_for_it(
    tmp_path: Path, spindle: Spindle, store: MariaDBServer
) -> None:
    """The published cycle over a real restart: the first action shuts the server down, and this test starts it again
    while the campaign waits, as a service manager would."""
    campaign = tmp_path / "cycle.toml"
    campaign.write_text(
        f"""
name = "MariaDB cycle"
[plan]
targets = ["{url_of(store)}"]
threads = 3
ramp_rate = 20.0
warmup_minutes = 0.0
minutes = 0.05
audit = true
[[steps]]
kind = "cycle"
repeat = 2
steps = [
  {{kind = "reset"}},
  {{kind = "act", do = "sql SHUTDOWN on host1"}},
  {{kind = "idle", minutes = 0.05}},
  {{kind = "wait", for = "port 127.0.0.1:{store.port}", deadline_seconds = 120}},
  {{kind = "wait", for = "sql", deadline_seconds = 120}},
  {{kind = "run"}},
]
"""
    )
    command = spindle.start("campaign", "run", str(campaign), "--yes-hurt", "127.0.0.1", "--quiet", "--json", "-")
    restarts = 0
    while command.process.poll() is None:
        if store.pid is None:
            store.start()
            restarts += 1
        time.sleep(0.05)  # polled, as a service manager polls

    assert command.exit_code() == 0, command.err
    made = json.loads(command.out)
    assert (made["state"], restarts) == ("completed", 2)
    assert [entry["state"] for entry in made["journal"]] == ["done"] * 12
    (point,) = made["points"]
    audits = [spindle.result(run["run_id"])["audit"]["verdict"] for run in point["runs"]]
    assert audits == ["clean", "clean"]
    assert point["median"] in [run["run_id"] for run in point["runs"]]
    check_quiet(spindle, command.err)
