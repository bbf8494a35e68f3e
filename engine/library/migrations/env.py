"""Alembic's environment: commands run on the connection and in the transaction of the caller.

Where SQLite can't alter a table, it is recreated in batch mode.
"""

from alembic import context

from engine.library.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
