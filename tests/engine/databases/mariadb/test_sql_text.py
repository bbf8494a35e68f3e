import pytest

from engine.databases.mariadb.sql_text import bodies, literal, quoted, statements
from engine.workloads.dvdstore.bindings.mariadb.store import STORE
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest


def test_a_script_is_its_statements_without_comments() -> None:
    found = statements(STORE.script("statistics"))
    assert len(found) == 1
    assert found[0].startswith("ANALYZE TABLE customers")


def test_values_are_filled_in() -> None:
    work = statements(STORE.script("reset"), customers=20, orders=10, history=55)
    assert work[0] == "DELETE FROM cust_hist WHERE historyid > 55"
    assert not any("{" in statement for statement in work)


def test_each_body_begins_with_create_for_the_driver_to_know_it_as_one_statement() -> None:
    found = bodies(STORE.script("procedures"))
    assert [each.split("(")[0].removeprefix("CREATE PROCEDURE ") for each in found[:-1]] == list(STORE.procedures)
    assert found[-1].startswith("CREATE DEFINER = CURRENT_USER TRIGGER restock")
    assert all(each.endswith("END") for each in found)


@pytest.mark.parametrize("text", ["plain", "it's", 'say "hi"', "back\\slash\\'", "pässwörd", "a;b--c", ""])
def test_literals_and_names_reach_the_server_as_they_are(dbms: MariaDBUnderTest, text: str) -> None:
    statement = f"SELECT {literal(text)} AS {quoted(f'x`{text}')}"
    assert dbms.run("", statement) == [(text,)]
