"""What a build does instead where a server lacks a feature or this user may not use it.

Each substitute has one sentence: what is missing, what is done instead, and what that means for comparing runs. The
sentences are reported by the build, stored with the store, and recorded with every run on it.
"""

from dataclasses import dataclass, field

from engine.databases.mssql.definition import TextSearch
from engine.databases.mssql.running import one, query_if_permitted
from engine.databases.mssql.scripts import DBO, Sql, literal
from engine.databases.odbc.connection import OdbcConnection
from engine.errors import ErrorClass, TargetError

LONGEST_NOTES = 2_000
_BY_FULL_TEXT, _BY_WORDS = "full-text index", "indexed table of words"
_WORDS_TABLE = "SELECT OBJECT_ID(N'{table}', N'U')"
_NOTES = "SELECT notes FROM dbo.spindle_store"
_IDENTITIES = """\
SELECT CASE
    WHEN IDENT_CURRENT({names}) >= (SELECT COALESCE(MAX({column}), 0) FROM {table}) THEN 1 ELSE 0 END
"""


@dataclass
class BuildNotes:
    """The sentences of one build, each once."""

    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        if sentence not in self.sentences:
            self.sentences.append(sentence)

    def text(self) -> str:
        return " ".join(self.sentences)[:LONGEST_NOTES]


def is_refused(error: TargetError) -> bool:
    """Whether the server rejects a statement; it may reject one and accept the next."""
    return error.error_class is ErrorClass.OTHER


def has_words(connection: OdbcConnection, search: TextSearch | None, schema: Sql = DBO) -> bool:
    """Whether a store's searches go over a table of words."""
    if search is None:
        return False
    return one(connection, _WORDS_TABLE.format(table=f"{schema}.{search.words_table}"))[0] is not None


def searched(connection: OdbcConnection, search: TextSearch | None) -> tuple[str, dict[str, str]]:
    """How a store that is there searches, as a warning where it is not by full text; and as settings, with the
    sentences of its build, as far as it has kept any.
    """
    rows = query_if_permitted(connection, _NOTES)
    notes = str(rows[0][0] or "") if rows else ""
    build = {"build": notes} if notes else {}
    if search is None:
        return "", build
    if not has_words(connection, search):
        return "", {"searches": _BY_FULL_TEXT, **build}
    warning = (
        f"The store's {search.title} are searched by an indexed table of words, for it was built without full-text"
        " search; compare the run only with others that search so."
    )
    return warning, {"searches": _BY_WORDS, **build}


def keep_notes(connection: OdbcConnection, notes: str) -> None:
    if notes:
        connection.query("UPDATE dbo.spindle_store SET notes = ?", notes)


def no_full_text(search: TextSearch, reason: str) -> str:
    return (
        f"Full-text search can't be used ({reason}): {search.title} are searched by an indexed table of words, which"
        " finds the same products at another cost; compare runs on this store only with runs that search so too."
    )


def own_options(error: TargetError) -> str:
    return (
        f"The database's options can't be set ({error}): AUTO_CLOSE, AUTO_SHRINK and RECURSIVE_TRIGGERS stay as the"
        " server's model has them; runs compare with others as long as they are off."
    )


def own_files(error: TargetError) -> str:
    return (
        f"The server takes no files and filegroups ({error}): all tables share the database's own files; runs may"
        " differ from those on a store whose files were laid out."
    )


def own_logging(error: TargetError) -> str:
    return (
        f"The recovery model can't be changed ({error}): it stays as it is, in the load and in runs; compare runs only"
        " with those of the same recovery model."
    )


def own_identities(error: TargetError) -> str:
    return (
        f"DBCC CHECKIDENT is refused ({error}): new rows are numbered on from the highest number ever"
        " given, also after a reset; the figures of runs compare with all others."
    )


def identity_is_right(connection: OdbcConnection, table: Sql, column: Sql) -> bool:
    """Whether the next row of a table gets a number that none has."""
    question = _IDENTITIES.format(names=literal(table), table=table, column=column)
    return bool(one(connection, question)[0])
