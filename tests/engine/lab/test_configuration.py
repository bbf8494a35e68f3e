"""A running server takes our postgresql.conf as it is meant."""

import psycopg

from engine.lab.configuration import postgresql_conf
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
