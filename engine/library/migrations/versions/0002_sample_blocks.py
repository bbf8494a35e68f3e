"""Samples packed by client and hour."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sample_blocks",
        sa.Column("run_key", sa.Integer, primary_key=True),
        sa.Column("client", sa.Integer, primary_key=True),
        sa.Column("hour", sa.Integer, primary_key=True),
        sa.Column("first_second", sa.Integer, nullable=False),
        sa.Column("last_second", sa.Integer, nullable=False),
        sa.Column("seconds", sa.LargeBinary),
        sa.Column("errors", sa.Text),
        sa.Column("types", sa.Text, nullable=False),
        sa.Column("counts", sa.LargeBinary, nullable=False),
        sa.Column("histograms", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(["run_key", "client"], ["clients.run_key", "clients.number"], ondelete="CASCADE"),
    )
