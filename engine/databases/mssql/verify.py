"""How the objects of a store in SQL Server are found, to verify it, and the checks of its searches."""

from engine.databases.checking import ObjectQueries, equal
from engine.databases.definition import Check
from engine.databases.mssql.definition import SqlServerDefinition
from engine.databases.mssql.substitutes import has_words
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.snapshot import Reader

OBJECTS = ObjectQueries(
    table="sys.tables WHERE schema_id = SCHEMA_ID(N'dbo') AND name = N'{name}'",
    index=(
        "sys.indexes AS i INNER JOIN sys.tables AS t ON t.object_id = i.object_id"
        " WHERE t.schema_id = SCHEMA_ID(N'dbo') AND i.is_disabled = 0 AND i.name = N'{name}'"
    ),
    reference=(
        "sys.foreign_keys WHERE schema_id = SCHEMA_ID(N'dbo') AND is_disabled = 0 AND is_not_trusted = 0"
        " AND name = N'{name}'"
    ),
    procedure="sys.procedures WHERE schema_id = SCHEMA_ID(N'dbo') AND name = N'{name}'",
    trigger="sys.triggers WHERE OBJECT_SCHEMA_NAME(object_id) = N'dbo' AND is_disabled = 0 AND name = N'{name}'",
)


def search_checks(connection: OdbcConnection, reader: Reader, definition: SqlServerDefinition) -> list[Check]:
    """What the searched columns are found by: the full-text index, or where there is none the table of words."""
    search = definition.text_search
    if search is None:
        return []
    if has_words(connection, search):
        key = definition.tables[search.table].order[0]
        missing = (
            f"dbo.{search.table} AS p WHERE NOT EXISTS"  # noqa: S608 - our own names
            f" (SELECT 1 FROM dbo.{search.words_table} AS w WHERE w.{key} = p.{key})"
        )
        return [equal(f"{search.table} without words", 0, reader.count(missing))]
    text = (
        "sys.fulltext_indexes AS f INNER JOIN sys.fulltext_index_columns AS c ON c.object_id = f.object_id"
        f" WHERE f.is_enabled = 1 AND f.object_id = OBJECT_ID(N'dbo.{search.table}')"
        " AND COL_NAME(c.object_id, c.column_id) = "
    )
    return [equal(f"full text of {name}", 1, reader.count(f"{text}N'{name}'")) for name in search.columns]
