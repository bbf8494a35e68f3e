"""The first library: runs, their tags and clients, samples and events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_COUNTS = (
    "covers",
    "working",
    "thinking",
    "reconnecting",
    "down",
    "orders",
    "new_customers",
    "logins",
    "browses",
    "purchases",
    "rollbacks",
    "retries",
    "reconnects",
    "in_doubt",
    "order_us",
    "new_customer_us",
    "login_us",
    "browse_us",
    "purchase_us",
    "order_us_max",
)


def upgrade() -> None:
    _make_runs()
    op.create_table(
        "run_tags",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("tag", sa.Text, primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "clients",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    _make_samples()
    _make_events()


def _make_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.Text, nullable=False, unique=True),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sa.Column("environment", sa.JSON, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.Column("warming_up_from", sa.Integer),
        sa.Column("measuring_from", sa.Integer),
        sa.Column("measuring_to", sa.Integer),
        sa.Column("totals", sa.JSON),
        sa.Column("failure", sa.Text, nullable=False),
        sa.Column("deleted_at", sa.Text),
        sa.Column("owner_pid", sa.Integer),
        sa.Column("owner_created", sa.Float),
    )
    op.create_index("ix_runs_started_at", "runs", ["started_at"])


def _make_samples() -> None:
    op.create_table(
        "samples",
        sa.Column("run_key", sa.Integer, primary_key=True),
        sa.Column("client", sa.Integer, primary_key=True),
        sa.Column("second", sa.Integer, primary_key=True),
        *(sa.Column(name, sa.Integer, nullable=False) for name in _COUNTS),
        sa.Column("errors", sa.Text),
        sa.Column("histogram", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(["run_key", "client"], ["clients.run_key", "clients.number"], ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )


def _make_events() -> None:
    op.create_table(
        "events",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("at_seconds", sa.Float, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("client", sa.Integer),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("by_hand", sa.Boolean, nullable=False),
        sqlite_with_rowid=False,
    )
