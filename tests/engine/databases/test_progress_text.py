import re

import pytest

from engine.databases.mariadb.sql_text import statements as mariadb_statements
from engine.databases.mssql.scripts import batches_of, number
from engine.databases.postgresql.scripts import statements as postgresql_statements
from engine.databases.progress_text import indexing_step, reset_step
from engine.workloads.dvdstore.bindings.mariadb.store import STORE as MARIADB_STORE
from engine.workloads.dvdstore.bindings.mssql.store import STORE as MSSQL_STORE
from engine.workloads.dvdstore.bindings.postgresql.store import STORE

BUILT = {"customers": 200_000, "orders": 120_000}
RESETS = {
    "postgresql": postgresql_statements(STORE.script("reset").format(**BUILT)),
    "mariadb": mariadb_statements(MARIADB_STORE.script("reset"), **BUILT, history=600_000),
    "mssql": batches_of(MSSQL_STORE.script("reset"), **{name: number(count) for name, count in BUILT.items()}),
}
SQL = re.compile(r"[A-Z]{3,}|\b(from|where|table|dbo|alter|into|select)\b|_")


@pytest.mark.parametrize("dbms", RESETS)
def test_a_reset_is_reported_in_words(dbms: str) -> None:
    told = [reset_step(statement, STORE.tables) for statement in RESETS[dbms]]
    assert {f"removing added {noun}" for noun in ("orders", "order lines", "customers", "purchase history")} < set(told)
    assert "restoring the stock" in told
    assert not [words for words in told if SQL.search(words)]


def test_numbers_that_start_again_and_locks_have_words_of_their_own() -> None:
    told = [reset_step(statement, STORE.tables) for statement in RESETS["postgresql"]]
    assert told[0] == "waiting for open transactions"
    assert told[-2:] == ["restarting the numbers of customers", "restarting the numbers of orders"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [("EXECUTE dbo.remove_trades 1, 2", "removing trades"), ("CALL undo_maintenance()", "undoing maintenance")],
)
def test_a_procedure_is_identified_by_its_name(statement: str, words: str) -> None:
    assert reset_step(statement, STORE.tables) == words


def test_an_index_is_identified_by_its_table() -> None:
    told = {
        indexing_step("indexing", statement, STORE.tables)
        for statement in postgresql_statements(STORE.script("indexes"))
    }
    assert {"indexing: customers", "indexing: order lines", "indexing: stock"} < told
    assert not [words for words in told if SQL.search(words)]
