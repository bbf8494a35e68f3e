"""A running server takes our postgresql.conf as it is meant."""

from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from engine.lab.configuration import conninfo, postgresql_conf
from engine.lab.server import EmbeddedServer


def test_server_reads_every_setting_of_ours_without_a_complaint(embedded_server: EmbeddedServer) -> None:
    target = embedded_server.target("postgres")
    ours = {line.partition(" = ")[0] for line in postgresql_conf().splitlines() if not line.startswith("#")}
    with psycopg.connect(
        host=target.hosts[0].name,
        port=target.hosts[0].port,
        user=target.user,
        dbname=target.database,
        password=embedded_server.secret.reveal(),
    ) as connection:
        rows = connection.execute("select name, applied, error from pg_file_settings").fetchall()
        settings = dict(
            connection.execute(
                "select name, current_setting(name) from pg_settings where name in "
                "('fsync', 'full_page_writes', 'max_connections', 'listen_addresses', 'data_checksums')"
            ).fetchall()
        )
    assert {name for name, _, _ in rows} == ours
    assert [row for row in rows if not row[1] or row[2]] == []
    assert int(settings.pop("max_connections")) > 24 * 32
    assert settings == {
        "fsync": "on",
        "full_page_writes": "on",
        "listen_addresses": "127.0.0.1",
        "data_checksums": "on",
    }


def test_commits_wait_for_any_of_the_named_standbys_or_for_none() -> None:
    assert "synchronous_standby_names = 'ANY 1 (node2, node3)'\n" in postgresql_conf(("node2", "node3"))
    assert "synchronous_standby_names = ''\n" in postgresql_conf()


def test_passfile_on_an_odd_path_works() -> None:
    path = Path("/a b/it's/back\\slash/passfile")
    assert conninfo_to_dict(conninfo(5_433, path))["passfile"] == str(path)
