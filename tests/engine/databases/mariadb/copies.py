"""Copies of a store for the tests, made by the server itself: MariaDB has no databases that are templates of others."""

import pyodbc


def copy_store(cursor: pyodbc.Cursor, source: str, name: str) -> None:
    """Copy tables, rows, references, procedures and triggers into an empty database, in which the cursor is."""
    cursor.execute("SET SESSION foreign_key_checks = 0")
    for table in _names(cursor, "table", source, "AND table_type = 'BASE TABLE'"):
        cursor.execute(f"SHOW CREATE TABLE {source}.{table}")
        cursor.execute(cursor.fetchone()[1])
        cursor.execute(f"INSERT INTO {table} SELECT * FROM {source}.{table}")
    for procedure in _names(cursor, "routine", source, ""):
        cursor.execute(f"SHOW CREATE PROCEDURE {source}.{procedure}")
        cursor.execute(cursor.fetchone()[2])
    for trigger in _names(cursor, "trigger", source, ""):
        cursor.execute(f"SHOW CREATE TRIGGER {source}.{trigger}")
        cursor.execute(cursor.fetchone()[2])


def _names(cursor: pyodbc.Cursor, what: str, source: str, condition: str) -> list[str]:
    cursor.execute(f"SELECT {what}_name FROM information_schema.{what}s WHERE {what}_schema = '{source}' {condition}")
    return [name for (name,) in cursor.fetchall()]
