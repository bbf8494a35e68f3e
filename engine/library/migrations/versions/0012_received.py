"""What a workload's own emulation has due, and the rows and bytes of the answers, which older samples do not have."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("backlog", "rows_received", "bytes_received"):
        op.add_column("samples", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
