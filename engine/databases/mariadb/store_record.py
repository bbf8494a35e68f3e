"""The record of a store in MariaDB: its row in ``spindle_store``, and what identifies the store in an audit."""

from dataclasses import dataclass

from engine.databases.mariadb.errors import NO_SUCH_TABLE
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.refusals import newer_format, no_store, partly_built
from engine.errors import TargetError
from engine.target.target import Target

STORE_FORMAT = 1
STORE_IDENTITY = (
    "SELECT date_format(built_at, '%Y-%m-%dT%H:%i:%s.%fZ'), (SELECT coalesce(max(orderid), 0) FROM orders)"
    " FROM spindle_store WHERE state = 'complete'"
)
"""When the store was built or last reset, and its highest order id; no row when it is only partly built."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """What a build has noted: the counts are those of the rows it made, ``history`` the highest number of a history
    row; ``salt`` is what the load account's password is made with.
    """

    complete: bool
    size: str
    seed: int
    customers: int
    orders: int
    order_lines: int
    history: int
    products: int
    made_database: bool
    salt: bytes


def built_in(connection: OdbcConnection) -> Built | None:
    """The store in a connection's database; ``None`` when there is none. Raises ``UserError`` for a newer format."""
    try:
        rows = connection.query(
            "SELECT format, state, db_size, seed, customers, orders, order_lines, history, products, made_database,"
            " salt FROM spindle_store"
        )
    except TargetError as error:
        if error.code == str(NO_SUCH_TABLE):
            return None
        raise
    if not rows:
        return None
    store_format, state, size, seed, customers, orders, order_lines, history, products, made_database, salt = rows[0]
    if store_format > STORE_FORMAT:
        raise newer_format(store_format)
    return Built(
        complete=state == "complete",
        size=size,
        seed=seed,
        customers=customers,
        orders=orders,
        order_lines=order_lines,
        history=history,
        products=products,
        made_database=bool(made_database),
        salt=bytes.fromhex(salt),
    )


def complete_store(connection: OdbcConnection, target: Target) -> Built:
    """The complete store in a connection's database; raises ``UserError`` when there is none."""
    built = built_in(connection)
    if built is None:
        raise no_store(target)
    if not built.complete:
        raise partly_built(target)
    return built
