"""Inactive users and the queue of an open loop, which older samples do not have."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("inactive", "queue"):
        op.add_column("samples", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
