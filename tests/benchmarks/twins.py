"""Twins of the calls: by them the server's log says how long the end of such a transaction takes.

A call of its own is its own transaction, and PostgreSQL ends that when its driver asks for nothing more, after it has
logged the call: neither what it tidies up nor the write to disk is in any line of the log. So pgbench sends each twin
with a BEGIN before it and a COMMIT behind it, all in one piece: the server works through them without a pause, and logs
the COMMIT by itself. A procedure that rolls its transaction back can't be called so; the twin of a purchase sells what
is not in stock, too.
"""

from engine.databases.database import Timeouts
from engine.databases.postgresql.admin import opened
from engine.secrets import Secret
from engine.target.target import Target
from engine.workloads.dvdstore.bindings.postgresql.store import STORE

MARK = "/* twin */"
"""What the statement of a twin begins with."""

_PURCHASE = "CREATE PROCEDURE purchase("
_IN_STOCK = " AND quan_in_stock >= amount"
_END = "\n$$;"


def twin_of(call: str) -> str:
    """What the transaction is called that is the twin of a call."""
    return f"twin of {call}"


def end_of(call: str) -> str:
    """What the end of a twin's transaction is called."""
    return f"end of {call}"


def begin(call: str) -> str:
    """The statement that begins the twin of a call: the first that a packet with one asks for."""
    return f"BEGIN /* {call} */"


def commit(call: str) -> str:
    """The statement that ends the twin of a call, as it stands in the server's log."""
    return f"COMMIT /* {call} */"


def in_one_piece(call: str, statement: str) -> str:
    """pgbench's commands for the twin whose statement is given."""
    return f"\\startpipeline\n{begin(call)};\n{MARK} {statement};\n{commit(call)};\n\\endpipeline"


def install(target: Target, secret: Secret) -> None:
    """Make the procedure ``purchase_twin`` in a store; raises ``ValueError`` when a purchase is not what it was."""
    procedures = STORE.script("procedures")
    start = procedures.index(_PURCHASE)
    purchase = procedures[start : procedures.index(_END, start) + len(_END)]
    if purchase.count(_IN_STOCK) != 1:
        raise ValueError("the purchase no longer asks for the stock in the way that its twin leaves out")
    twin = purchase.replace(_PURCHASE, "CREATE PROCEDURE purchase_twin(").replace(_IN_STOCK, "")
    with opened(target, secret, Timeouts()) as connection:
        connection.execute(twin.encode())
