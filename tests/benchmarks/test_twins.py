"""The twins on a real server, as pgbench sends them: what they do there is what they stand for."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import psycopg
import pytest

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.lab.server import EmbeddedServer
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.user import Mix
from tests.benchmarks import measured, pgbench_steps, twins
from tests.benchmarks.pgbench import Pgbench
from tests.benchmarks.pgbench_log import read_logs

_DATABASE, _SIZE = "twins", DbSize(1, "MB")
_MIX = Mix(size=_SIZE, think_time_ms=0, pct_new_customers=20, n_searches=3, search_batch_size=5, n_line_items=5)


@pytest.fixture(scope="module")
def store(embedded_server: EmbeddedServer) -> Iterator[psycopg.Connection]:
    """A connection to a store that has them."""
    measured.build(embedded_server, _DATABASE, _SIZE)
    target = embedded_server.target(_DATABASE)
    twins.install(target, embedded_server.secret)
    with opened(target, embedded_server.secret, Timeouts()) as connection:
        yield connection


def _number(store: psycopg.Connection, query: bytes) -> int:
    [row] = cast(list[tuple[int]], store.execute(query).fetchall())
    return row[0]


def test_a_purchases_twin_sells_what_is_not_in_stock(store: psycopg.Connection) -> None:
    store.execute(b"UPDATE inventory SET quan_in_stock = 0, sales = 0 WHERE prod_id = 7")
    before = _number(store, b"SELECT count(*) FROM orders")
    store.execute(b"CALL purchase_twin(1, ARRAY[7], ARRAY[3], 10, 1, 11, NULL)")
    assert _number(store, b"SELECT count(*) FROM orders") == before + 1
    assert _number(store, b"SELECT sales FROM inventory WHERE prod_id = 7") == 3
    assert _number(store, b"SELECT quan_in_stock FROM inventory WHERE prod_id = 7") > 0


def test_pgbench_does_what_its_transactions_are_called(
    store: psycopg.Connection, embedded_server: EmbeddedServer, tmp_path: Path
) -> None:
    measured.reset(embedded_server, _DATABASE)
    variables = [part for name, value in pgbench_steps.VARIABLES.items() for part in ("-D", f"{name}={value}")]
    customers = _number(store, b"SELECT count(*) FROM customers")
    Pgbench(
        embedded_server.target(_DATABASE), embedded_server.secret, tmp_path,
        {"steps": (pgbench_steps.script(_MIX, seed=1), 1)}, users=2, threads=1, seconds=2, more=["-l", *variables],
    ).wait()  # fmt: skip
    done = Counter(each.name for each in read_logs(tmp_path, lambda client: pgbench_steps.names_of(_MIX, client)))
    assert min(done[twins.twin_of(call)] for call in pgbench_steps.CALLS) > 0
    orders = _number(store, b"SELECT count(*) FROM orders WHERE " + pgbench_steps.MARKED.encode())
    rolled_back = done["purchase"] + done["twin of purchase"] - orders
    assert 0 <= rolled_back < done["purchase"]
    registered = _number(store, b"SELECT count(*) FROM customers") - customers
    assert registered == done["new_customer"] + done["twin of new_customer"]
