"""The searches by a table of words, in the place of full-text search: their T-SQL, translated, runs on SQLite."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
import sqlglot

from engine.databases.mssql.scripts import DBO, batches_of, identifier
from engine.workloads.dvdstore.bindings.mssql.store import STORE
from engine.workloads.dvdstore.rows import StoreRows
from tests.engine.databases.contract.places import SEED, SIZE, block_rows

_ALL = 10_000
_TITLE, _ACTOR = 2, 3
_VALUES = {"schema": DBO, "indexes": identifier("spindle_indexes")}
Row = tuple[object, ...]


@pytest.fixture(scope="module")
def products() -> list[Row]:
    return [row for block in StoreRows(SIZE, SEED).blocks("products") for row in block_rows(block)]


@pytest.fixture(scope="module")
def database(products: list[Row]) -> Iterator[sqlite3.Connection]:
    """A database whose words were filled by the build's own statement."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function("CONCAT", -1, lambda *texts: "".join(texts))
        connection.execute("ATTACH ':memory:' AS dbo")
        connection.execute(
            "CREATE TABLE dbo.products (prod_id, category, title, actor, price, special, common_prod_id)"
        )
        connection.executemany("INSERT INTO dbo.products VALUES (?, ?, ?, ?, ?, ?, ?)", products)
        connection.execute("CREATE TABLE dbo.product_words (of_title, word COLLATE NOCASE, prod_id)")
        (fill,) = [batch for batch in batches_of(STORE.script("words"), **_VALUES) if batch.startswith("INSERT")]
        connection.execute(_translated(fill.replace(" WITH (TABLOCK)", "")))
        yield connection


def _translated(statement: str) -> str:
    (translated,) = sqlglot.transpile(
        statement, read="tsql", write="sqlite", unsupported_level=sqlglot.ErrorLevel.IGNORE
    )
    return translated


def _found(database: sqlite3.Connection, procedure: str, words: tuple[str, str], batch_size: int = _ALL) -> list[int]:
    (batch,) = [batch for batch in batches_of(STORE.script("search_words")) if f"dbo.{procedure}\n" in batch]
    query = re.search(r"SELECT TOP.*?;", batch, re.DOTALL)
    assert query is not None
    values = {"first": words[0], "last": words[1], "batch_size": batch_size}
    return [row[0] for row in database.execute(_translated(query[0]), values)]


@pytest.mark.parametrize(("procedure", "column"), [("browse_by_title", _TITLE), ("browse_by_actor", _ACTOR)])
def test_word_search_finds_exactly_the_products_with_all_words(
    database: sqlite3.Connection, products: list[Row], procedure: str, column: int
) -> None:
    for product in products[:100]:
        first, second = str(product[column]).split()
        expected = {row[0] for row in products if {first, second} <= set(str(row[column]).split())}
        for words in ((first, second), (second.lower(), first.swapcase())):
            found = _found(database, procedure, words)
            assert (set(found), len(found)) == (expected, len(expected))
        assert len(_found(database, procedure, (first, second), 1)) == 1


@pytest.mark.parametrize("words", [("NOSUCH", "WORDS"), ("o'neill", '"'), ("&", "|!"), ("", ""), ("%", "_")])
def test_unknown_word_finds_nothing(database: sqlite3.Connection, words: tuple[str, str]) -> None:
    for procedure in ("browse_by_title", "browse_by_actor"):
        assert _found(database, procedure, words) == []


def test_actor_search_ignores_titles(database: sqlite3.Connection, products: list[Row]) -> None:
    first, second = str(products[0][_ACTOR]).split()
    assert _found(database, "browse_by_title", (first, second)) == []
