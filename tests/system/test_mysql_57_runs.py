"""A build and a run on a real MySQL 5.7: it takes rows from files, has no TLS, and no caching_sha2_password."""

import json
import os
from pathlib import Path

import pytest

from engine.secrets import PASSWORD_VARIABLE
from tests.doubles.mariadb_pair import value_on
from tests.doubles.mysql_server import MYSQL_57, running_mysql
from tests.system.conftest import Spindle
from tests.system.server_runs import BUILD, LOAD, orders_of, url_of
from tests.system.test_whole_runs import acknowledged, check_quiet, check_totals, rows_of

_LOADS = (
    "SELECT count_star FROM performance_schema.events_statements_summary_global_by_event_name"
    " WHERE event_name = 'statement/sql/load'"
)
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="MySQL's builds are for Linux"),
    pytest.mark.timeout(300),
]


def test_a_store_is_built_from_files_and_driven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "rows.csv"
    with running_mysql(MYSQL_57) as server:
        monkeypatch.setenv(PASSWORD_VARIABLE, server.secret.reveal())
        spindle, target = Spindle(tmp_path / "home"), ("--target", url_of(server))
        spindle.ends("build", *target, *BUILD)
        loaded = value_on(server, _LOADS)
        before = orders_of(server)

        command = spindle.start(
            "run", *target, *LOAD, "--minutes", "0.05", "--audit", "--json", "-", "--csv", str(table)
        )

        assert command.exit_code() == 0, command.err
        result, rows = json.loads(command.out), rows_of(table.read_text(encoding="utf-8"))
        assert (result["state"], result["errors"], result["audit"]["verdict"]) == ("completed", {}, "clean")
        assert int(loaded) > 0, "the rows came from files"
        assert orders_of(server) - before == acknowledged(rows) > 0
        check_totals(result, rows)
        check_quiet(spindle, command.err)
        spindle.ends("verify", *target)
        spindle.close()
