"""Wholesale in MariaDB and MySQL."""

from dataclasses import replace

from engine.databases.definition import script_reader
from engine.workloads.wholesale.bindings import store

# Here sums are decimals, and ``CAST`` does not know bigint.
_NUMBERS = "(SELECT coalesce(CAST(sum(d_next_o_id) AS SIGNED), 0) FROM district)"

STORE = replace(
    store.STORE,
    script=script_reader("wholesale", "mariadb"),
    # Here references need indexes on both sides.
    indexes=(*store.STORE.indexes, ("history", "ix_history_customer"), ("stock", "ix_stock_item")),
    high_water=f"SELECT {_NUMBERS}",
    added_above=f"SELECT {_NUMBERS} - ?",
)
