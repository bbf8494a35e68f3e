"""Millions of orders in a store as runs would have left them, made by the server itself, and the ledger of them."""

from pathlib import Path

import numpy as np
import psycopg

from engine.audit.ledger import End, packed_header
from engine.audit.ledger_reading import RECORD_TYPE, checksums_of
from engine.audit.notes import packed_record
from engine.databases.database import Timeouts
from engine.lab.server import EmbeddedServer
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks.measured import never
from tests.engine.workloads.dvdstore.sessions import auditor_at, store_at

LINES = 5
_AT_ONCE = 500_000
# Without the checks of references, row by row, that keep the server for minutes.
_INSERT = """
    SET session_replication_role = replica;
    WITH numbers AS (SELECT {after} + n AS id, 1 + (n::bigint * 7919) % {customers} AS customer
        FROM generate_series(1, {count}) n),
    lines AS (SELECT id, customer, k, 1 + (id::bigint * 31 + k * 977) % {products} AS product,
        1 + (id + k) % 3 AS pieces FROM numbers, generate_series(1, {lines}) k),
    placed AS (INSERT INTO orderlines SELECT k, id, product, pieces, current_date FROM lines),
    noted AS (INSERT INTO cust_hist SELECT customer, id, product FROM lines)
    INSERT INTO orders (orderid, orderdate, customerid, netamount, tax, totalamount)
    SELECT id, current_date, customer, sum(pieces * price), 0, sum(pieces * price)
    FROM lines JOIN products ON prod_id = product GROUP BY id, customer ORDER BY id
"""
_SALES = """
    UPDATE inventory SET sales = sales + sold
    FROM (SELECT prod_id AS product, sum(quantity) AS sold FROM orderlines WHERE orderid > {after} GROUP BY 1) s
    WHERE prod_id = product;
    ANALYZE orders, orderlines, cust_hist
"""


def insert_orders(server: EmbeddedServer, database: str, count: int) -> None:
    """Add so many orders of ``LINES`` lines to a store that is as it was built."""
    target = server.target(database)
    state = store_at(target, server.secret, Timeouts()).state()
    assert state is not None, "the store is built"
    size, host = DbSize.parse(state.scale), target.hosts[0]
    with psycopg.connect(
        host=host.name,
        port=host.port,
        user=target.user,
        dbname=database,
        password=server.secret.reveal(),
        autocommit=True,
        options="-c work_mem=256MB -c synchronous_commit=off",
    ) as connection:
        for begin in range(0, count, _AT_ONCE):
            statement = _INSERT.format(
                after=size.orders + begin,
                count=min(_AT_ONCE, count - begin),
                customers=size.customers,
                products=size.products,
                lines=LINES,
            )
            connection.execute(statement.encode())
        connection.execute(_SALES.format(after=size.orders).encode())


def write_ledger(server: EmbeddedServer, database: str, path: Path, after: int, to: int) -> None:
    """The ledger of one client, of the run that the folder is named for, to whom all these orders were acknowledged."""
    target = server.target(database)
    path.parent.mkdir(parents=True)
    with (
        path.open("wb") as file,
        auditor_at(target, server.secret, Timeouts(), never) as auditor,
    ):
        file.write(packed_header(path.parent.name, 1))
        for begin in range(after, to, auditor.most_numbers):
            orders = auditor.orders(begin, min(begin + auditor.most_numbers, to))
            records = np.zeros(len(orders), RECORD_TYPE)
            for name in ("number", "key", "check"):
                records[name] = orders[name]
            records["moment_ms"] = records["number"] - after
            words = records.view("<u4").reshape(len(records), -1)
            file.write(np.column_stack([words, checksums_of(words)]).tobytes())
        file.write(packed_record(to - after, 0, 0, End.COMPLETE))
