"""Brokerage in MariaDB and MySQL."""

from dataclasses import replace

from engine.databases.definition import Table, script_reader
from engine.workloads.brokerage.bindings import store
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE

# Here sums are decimals, and ``CAST`` does not know bigint.
_NUMBERS = (
    f"((SELECT count(*) FROM trade WHERE t_id >= {FIRST_RUN_TRADE})"  # noqa: S608 - our own text
    " + (SELECT coalesce(CAST(sum(b_num_trades) AS SIGNED), 0) FROM broker))"
)

STORE = replace(
    store.STORE,
    script=script_reader("brokerage", "mariadb"),
    # MySQL has no sequences.
    tables={**store.STORE.tables, "trade_number": Table(title="numbers of trades", identity="tn_number")},
    helpers=("undo_maintenance",),
    high_water=f"SELECT {_NUMBERS}",
    added_above=f"SELECT {_NUMBERS} - ?",
)
