from engine.databases.postgresql.scripts import paragraphs, statements
from engine.workloads.dvdstore.bindings.postgresql.store import STORE


def test_scripts_after_the_load_are_split_into_statements() -> None:
    found = [
        statement for name in ("indexes", "references", "statistics") for statement in statements(STORE.script(name))
    ]
    assert all(statement.startswith(("ALTER TABLE", "CREATE", "VACUUM")) for statement in found)
    assert not any(";" in statement or "--" in statement for statement in found)


def test_the_keys_and_indexes_of_one_table_are_one_paragraph() -> None:
    of_customers = [each for each in paragraphs(STORE.script("indexes")) if "customers" in "".join(each)]
    assert [len(paragraph) for paragraph in of_customers] == [3]
