"""Run sets, configurations, measurements of hosts and meters, and the user's own references."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_configurations()
    _make_run_sets()
    _make_host_files()
    op.create_table(
        "own_references",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("content", sa.JSON, nullable=False),
    )


def _make_configurations() -> None:
    op.create_table(
        "configurations",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("content", sa.JSON, nullable=False),
    )
    op.create_table(
        "run_configurations",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column(
            "configuration_key",
            sa.Integer,
            sa.ForeignKey("configurations.key", ondelete="CASCADE"),
            nullable=False,
        ),
        sqlite_with_rowid=False,
    )


def _make_run_sets() -> None:
    op.create_table(
        "run_sets",
        sa.Column("key", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("configuration_key", sa.Integer, sa.ForeignKey("configurations.key", ondelete="SET NULL")),
    )
    op.create_table(
        "run_set_members",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("set_key", sa.Integer, sa.ForeignKey("run_sets.key", ondelete="CASCADE"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )


def _make_host_files() -> None:
    op.create_table(
        "host_files",
        sa.Column("run_key", sa.Integer, sa.ForeignKey("runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("shift_seconds", sa.Float, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "host_columns",
        sa.Column("run_key", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("column", sa.Integer, primary_key=True),
        sa.Column("description", sa.JSON, nullable=False),
        sa.Column("readings", sa.Integer, nullable=False),
        sa.Column("times", sa.LargeBinary),
        sa.Column("values", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(["run_key", "number"], ["host_files.run_key", "host_files.number"], ondelete="CASCADE"),
    )
