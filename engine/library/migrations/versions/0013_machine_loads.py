"""What a run reports of its load machines; no run of before had any."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "machine_loads",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("machine", sa.Text, primary_key=True),
        sa.Column("second", sa.Integer, primary_key=True),
        sa.Column("machine_pct", sa.Float, nullable=False),
        sa.Column("clients_pct", sa.Float, nullable=False),
        sa.Column("busiest_process_pct", sa.Float, nullable=False),
        sa.Column("is_bottleneck", sa.Boolean, nullable=False),
        sa.Column("heartbeat_ms", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )
