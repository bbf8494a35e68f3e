"""Histograms of overdue orders; older samples have none."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("samples", "sample_blocks"):
        op.add_column(table, sa.Column("overdue", sa.LargeBinary))
