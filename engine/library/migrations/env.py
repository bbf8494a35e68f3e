"""What Alembic runs for every command: it works on the connection, and in the transaction, that it is handed.

Tables are remade in batches where SQLite can't alter them in place.
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
