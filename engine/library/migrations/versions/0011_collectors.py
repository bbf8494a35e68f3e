"""What is read of machines while a run goes on: its collectors, and their readings until they are packed."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "collectors",
        _run_key(),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("interval_seconds", sa.Float, nullable=False),
        sa.Column("is_average", sa.Boolean, nullable=False),
        sa.Column("offset_seconds", sa.Float),
        sa.Column("offset_error_seconds", sa.Float),
        sa.Column("drift_ppm", sa.Float),
        sa.Column("readings", sa.Integer, nullable=False),
        sa.Column("cpu_seconds", sa.Float, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "host_counters",
        _run_key(),
        sa.Column("digest", sa.Integer, primary_key=True),
        sa.Column("counters", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "host_readings",
        _run_key(),
        sa.Column("collector", sa.Integer, primary_key=True),
        sa.Column("utc_us", sa.Integer, primary_key=True),
        sa.Column("digest", sa.Integer, nullable=False),
        sa.Column("values", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.add_column("host_files", sa.Column("collector", sa.Integer))


def _run_key() -> sa.Column[int]:
    return sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True)
