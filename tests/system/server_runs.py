"""Whole runs on a MariaDB or MySQL through the command line, which are the same on every server of theirs."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from engine.secrets import PASSWORD_VARIABLE
from engine.target.kinds import kind_facts
from tests.doubles.mariadb_pair import value_on
from tests.doubles.mariadb_server import MariaDBServer
from tests.system.conftest import COMMAND_SECONDS, Spindle
from tests.system.test_whole_runs import acknowledged, check_quiet, check_totals, has_outage, rows_of
from tests.waiting import wait_until

CLIENTS, THREADS = 2, 3
LOAD = (
    "--clients", str(CLIENTS), "--threads", str(THREADS), "--think-time-ms", "50", "--ramp-rate", "20", "--warmup", "0",
)  # fmt: skip
UNTIL_STOPPED = ("--minutes", "0", "--quiet")
DATABASE = "ds2"
BUILD = ("--db-size", "1MB")


def orders_of(server: MariaDBServer) -> int:
    return int(value_on(server, "SELECT count(*) FROM orders", DATABASE))


def url_of(server: MariaDBServer) -> str:
    """The store on a server, whose user logs in with or without TLS as the server has it."""
    return replace(server.target(DATABASE), tls="prefer").url


@contextmanager
def built_store(home: Path, server: MariaDBServer) -> Iterator[None]:
    """A store on the server, built by the program, and dropped by it in the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PASSWORD_VARIABLE, server.secret.reveal())
        spindle, target = Spindle(home), ("--target", url_of(server))
        spindle.ends("build", *target, *BUILD)
        yield
        spindle.ends("drop", *target, "--yes")
        spindle.close()


class RunsOnAServer:
    """Runs that measure, and that survive what is done to the server; ``store`` is a server with a store."""

    def test_a_run_prints_its_result_and_its_orders_are_on_the_server(
        self, spindle: Spindle, store: MariaDBServer, tmp_path: Path
    ) -> None:
        before, table = orders_of(store), tmp_path / "rows.csv"

        command = spindle.start(
            "run", "--target", url_of(store), *LOAD, "--minutes", "0.05", "--audit", "--json", "-", "--csv", str(table)
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
        assert (stored["product"], stored["host"]) == (kind_facts(store.target().kind).product, str(store.host))
        assert stored["settings"]["innodb_flush_log_at_trx_commit"] == "1"
        check_quiet(spindle, command.err)

    def test_users_survive_a_server_kill_without_losing_orders(
        self, spindle: Spindle, store: MariaDBServer, tmp_path: Path
    ) -> None:
        known, before, table = spindle.run_count(), orders_of(store), tmp_path / "rows.csv"
        command = spindle.start(
            "run", "--target", url_of(store), *LOAD, *UNTIL_STOPPED, "--audit", "--json", "-", "--csv", str(table)
        )
        spindle.wait_until_measuring(known)

        store.kill()
        wait_until(spindle.is_without_orders, "the outage shows", timeout_seconds=COMMAND_SECONDS)
        store.start()
        spindle.wait_until_all_order(reconnects=CLIENTS * THREADS)
        command.press_ctrl_c()

        assert command.exit_code() == 130, command.err
        result, rows = json.loads(command.out), rows_of(table.read_text(encoding="utf-8"))
        assert has_outage(row for row in rows if row["phase"] == "measuring")
        assert result["state"] == "stopped"
        assert result["errors"]["connection_lost"] > 0
        assert result["reconnects"] == CLIENTS * THREADS
        in_doubt = sum(int(row["in_doubt"]) for row in rows)
        assert acknowledged(rows) <= orders_of(store) - before <= acknowledged(rows) + in_doubt
        assert {event["kind"] for event in result["events"]} >= {"connection lost", "connection back", "target error"}
        assert result["audit"]["verdict"] == "clean"
        check_totals(result, rows)
        check_quiet(spindle, command.err)
