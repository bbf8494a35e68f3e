"""Faults, probe samples, and the audits of the orders."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("events", sa.Column("is_fault", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("runs", sa.Column("audit", sa.JSON))
    op.create_table(
        "probes",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("store", sa.Integer, primary_key=True),
        sa.Column("second", sa.Integer, primary_key=True),
        sa.Column("seconds", sa.Integer, nullable=False),
        sa.Column("slots", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
