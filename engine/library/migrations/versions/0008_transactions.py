"""Samples count any workload's types of transactions; those of the DVD Store were a column each.

Packed samples keep their content, which ``engine.library.packing`` still reads.
"""

import struct
from sqlite3 import Connection

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COUNTS = ("covers", "working", "thinking", "reconnecting", "down", "rollbacks", "retries", "reconnects", "in_doubt")
_STEPS = {
    "login": ("logins", "login_us"),
    "new_customer": ("new_customers", "new_customer_us"),
    "browse": ("browses", "browse_us"),
    "purchase": ("purchases", "purchase_us"),
}
_PACKED = ("orders", "order_us", "order_us_max", *(name for names in _STEPS.values() for name in names))


def upgrade() -> None:
    op.alter_column("sample_blocks", "steps", new_column_name="others")
    op.rename_table("samples", "samples_before")
    op.create_table(
        "samples",
        sa.Column("run_key", sa.Integer, primary_key=True),
        sa.Column("client", sa.Integer, primary_key=True),
        sa.Column("second", sa.Integer, primary_key=True),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _COUNTS),
        sa.Column("transactions", sa.LargeBinary, nullable=False),
        sa.Column("errors", sa.Text),
        sa.Column("overdue", sa.LargeBinary),
        sa.ForeignKeyConstraint(["run_key", "client"], ["clients.run_key", "clients.number"], ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    driver = op.get_bind().connection.driver_connection
    assert isinstance(driver, Connection)
    driver.create_function("transactions_of", 2 + len(_PACKED), _transactions, deterministic=True)
    kept = f"run_key, client, second, {', '.join(_COUNTS)}"
    op.execute(
        f"INSERT INTO samples ({kept}, transactions, errors, overdue)"  # noqa: S608 - our own names
        f" SELECT {kept}, transactions_of(histogram, steps, {', '.join(_PACKED)}), errors, overdue FROM samples_before"
    )
    op.drop_table("samples_before")


def _transactions(histogram: bytes, steps: bytes | None, *numbers: int) -> bytes:
    """The column ``transactions``: of each type the id, a zero, the number, the sum and the largest of its response
    times, the length of the histogram or -1, and the histogram."""
    orders, order_us, order_us_max, *of_steps = numbers
    recorded = None if steps is None else _by_name(steps)
    packed = [_packed("order", orders, order_us, order_us_max, histogram)]
    for place, name in enumerate(_STEPS):
        n, sum_us = of_steps[2 * place : 2 * place + 2]
        packed.append(_packed(name, n, sum_us, 0, None if recorded is None else recorded.get(name, b"")))
    return b"".join(packed)


def _packed(name: str, n: int, sum_us: int, max_us: int, histogram: bytes | None) -> bytes:
    length = -1 if histogram is None else len(histogram)
    return name.encode() + b"\0" + struct.pack("<qqqi", n, sum_us, max_us, length) + (histogram or b"")


def _by_name(packed: bytes) -> dict[str, bytes]:
    """The column ``steps``: of each the name, a zero, the length of the histogram in 4 bytes, and the histogram."""
    steps, at = {}, 0
    while at < len(packed):
        end = packed.index(b"\0", at)
        begin = end + 5
        after = begin + int.from_bytes(packed[end + 1 : begin], "little")
        steps[packed[at:end].decode()] = packed[begin:after]
        at = after
    return steps
