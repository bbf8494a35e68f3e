"""What makes a DVD Store in MariaDB or MySQL whole: counts, keys, indexes, procedures, and sums that tie out."""

from collections.abc import Callable

from engine.databases.checking import (
    CALLED_PROCEDURES,
    REFERENCES,
    STORE_TABLES,
    built_rows,
    check_all,
    equal,
    orders,
    stock,
)
from engine.databases.database import Check, IsCancelled, ReportProgress
from engine.databases.mariadb.store_record import Built
from engine.databases.odbc.admin import cancelling
from engine.databases.odbc.connection import OdbcConnection
from engine.workloads.dvdstore import words

_INDEXES = (
    ("customers", "PRIMARY"), ("customers", "ix_cust_username"), ("customers", "ix_cust_username_password"),
    ("orders", "PRIMARY"), ("orders", "ix_order_customerid"), ("orderlines", "PRIMARY"), ("cust_hist", "PRIMARY"),
    ("cust_hist", "ix_cust_hist_customerid"), ("products", "PRIMARY"), ("products", "ix_prod_category"),
    ("products", "ix_prod_special"), ("products", "ix_prod_category_special"), ("products", "ix_prod_title"),
    ("products", "ix_prod_actor"), ("inventory", "PRIMARY"), ("inventory_pristine", "PRIMARY"),
    ("categories", "PRIMARY"),
)  # fmt: skip


def checked(
    connection: OdbcConnection, built: Built, report_progress: ReportProgress, cancelled: IsCancelled
) -> list[Check]:
    """Look at a complete store; raises ``Cancelled``. When a table is missing, the rest can't be looked at."""

    def count(what: str) -> int:
        return _count(connection, what)

    checks: dict[str, Callable[[], list[Check]]] = {
        "tables": lambda: _tables(connection),
        "row counts": lambda: built_rows(count, built.customers, built.orders, built.order_lines, built.products),
        "indexes": lambda: _indexes(connection),
        "procedures": lambda: _procedures(connection),
        "sales and stock": lambda: stock(count),
        "orders": lambda: orders(count),
    }
    return check_all(checks, lambda: cancelling(connection, cancelled), report_progress, cancelled)


def _tables(connection: OdbcConnection) -> list[Check]:
    place = "information_schema.tables WHERE table_schema = database() AND engine = 'InnoDB' AND table_name = "
    return [equal(f"table {name}", 1, _count(connection, f"{place}'{name}'")) for name in STORE_TABLES]


def _indexes(connection: OdbcConnection) -> list[Check]:
    place = "information_schema.statistics WHERE table_schema = database() AND seq_in_index = 1"
    kept = "information_schema.referential_constraints WHERE constraint_schema = database() AND constraint_name = "
    indexes = [
        equal(
            f"index {name if name != 'PRIMARY' else f'{table} primary key'}",
            1,
            _count(connection, f"{place} AND table_name = '{table}' AND index_name = '{name}'"),
        )
        for table, name in _INDEXES
    ]
    references = [equal(f"reference {name}", 1, _count(connection, f"{kept}'{name}'")) for name in REFERENCES]
    return [*indexes, *references, equal("words too short for the full-text indexes", 0, _short_words(connection))]


def _short_words(connection: OdbcConnection) -> int:
    """How many words of titles and actors no search on this server finds: none, unless its least length was raised."""
    ((least,),) = connection.query("SELECT @@innodb_ft_min_token_size")
    return sum(len(word) < int(least) for word in (*words.title_words(), *words.first_names(), *words.last_names()))


def _procedures(connection: OdbcConnection) -> list[Check]:
    place = "information_schema.routines WHERE routine_schema = database() AND routine_name = "
    trigger = (
        "information_schema.triggers WHERE trigger_schema = database() AND trigger_name = 'restock'"
        " AND event_object_table = 'inventory'"
    )
    return [
        *(equal(f"procedure {name}", 1, _count(connection, f"{place}'{name}'")) for name in CALLED_PROCEDURES),
        equal("trigger restock", 1, _count(connection, trigger)),
    ]


def _count(connection: OdbcConnection, what: str) -> int:
    return int(connection.query(f"SELECT count(*) FROM {what}")[0][0])  # noqa: S608 - our own text
