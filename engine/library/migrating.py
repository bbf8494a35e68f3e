"""Migrates a library's tables to the newest version; imported only when a migration is needed.

Importing Alembic takes a quarter of a second, which opening a current library should not cost.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

from engine.library.connecting import connect, write_transaction

SCRIPTS = Path(__file__).parent / "migrations"


def configuration(connection: Connection | None = None, *, scripts: Path = SCRIPTS) -> Config:
    """Alembic's configuration, without an ini file, for commands that work on ``connection``."""
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migrate(path: Path, *, scripts: Path = SCRIPTS, wal: bool = True) -> None:
    """Migrate the library at ``path`` to the newest version in one transaction; an empty file becomes a new library.

    Foreign keys are disabled meanwhile, since recreating a table drops it once, which would delete the rows that refer
    to it; they are checked before the commit. Raises ``UserError`` when the file can't be written.
    """
    engine = connect(path, foreign_keys=False, wal=wal)
    try:
        with write_transaction(engine) as connection:
            command.upgrade(configuration(connection, scripts=scripts), "head")
            dangling = connection.execute(text("PRAGMA foreign_key_check")).fetchall()
            if dangling:
                raise RuntimeError(f"migrating the library left {len(dangling)} rows without the row they refer to")
    finally:
        engine.dispose()
