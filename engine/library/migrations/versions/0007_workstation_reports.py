"""The response times of the steps by second, and what a run reports of its workstation; older runs have neither."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("samples", "sample_blocks"):
        op.add_column(table, sa.Column("steps", sa.LargeBinary))
    op.create_table(
        "workstation_loads",
        _run_key(),
        sa.Column("second", sa.Integer, primary_key=True),
        sa.Column("machine_pct", sa.Float, nullable=False),
        sa.Column("clients_pct", sa.Float, nullable=False),
        sa.Column("busiest_process_pct", sa.Float, nullable=False),
        sa.Column("is_bottleneck", sa.Boolean, nullable=False),
        sa.Column("heartbeat_ms", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "saturation_intervals",
        _run_key(),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("from_seconds", sa.Float, nullable=False),
        sa.Column("to_seconds", sa.Float, nullable=False),
        sa.Column("measures", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "process_summaries",
        _run_key(),
        sa.Column("process", sa.Integer, primary_key=True),
        sa.Column("clients", sa.JSON, nullable=False),
        sa.Column("cpu_user_seconds", sa.Float, nullable=False),
        sa.Column("cpu_system_seconds", sa.Float, nullable=False),
        sa.Column("peak_memory_mb", sa.Float),
        sa.Column("worst_tick_late_ms", sa.Float, nullable=False),
        sa.Column("unfinished_users", sa.Integer),
        sa.Column("heartbeat_mean_ms", sa.Float),
        sa.Column("heartbeat_p99_ms", sa.Float),
        sa.Column("heartbeat_max_ms", sa.Float),
        sa.Column("longest_gc_pause_ms", sa.Float, nullable=False),
        sa.Column("run_queue_ms", sa.Float),
        sa.Column("order_waited_ms", sa.Float),
        sa.Column("late_ticks", sa.Integer, nullable=False),
        sa.Column("clock_offset_ms", sa.Float),
        sqlite_with_rowid=False,
    )


def _run_key() -> sa.Column[int]:
    return sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True)
