from dataclasses import replace
from pathlib import Path

import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.build import load_file, opened
from engine.databases.mariadb.load_rows import lines_of
from engine.errors import ErrorClass, TargetError, UserError
from engine.secrets import Secret
from engine.workloads.dvdstore.rows import StoreRows
from engine.workloads.dvdstore.schema import TABLES
from tests.engine.databases.contract.places import SEED, SIZE, Place, generated, never, silent
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.engine.workloads.dvdstore.sessions import store_at


def test_server_without_local_infile_gets_the_same_rows(scratch: Place, dbms: MariaDBUnderTest) -> None:
    dbms.run("", "SET GLOBAL local_infile = OFF")
    try:
        scratch.build()
    finally:
        dbms.run("", "SET GLOBAL local_infile = ON")
    assert scratch.contents() == generated(SIZE, SEED)
    assert scratch.failed_checks() == set()


@pytest.mark.parametrize("wrong", ["a row that is already there", "a value that is none"])
def test_what_the_server_only_warns_of_is_an_error(place: Place, tmp_path: Path, wrong: str) -> None:
    block, file = StoreRows(SIZE, SEED).block("categories", 0), tmp_path / "it's rows.tsv"
    lines = lines_of(block, TABLES["categories"])
    file.write_bytes(lines if wrong.startswith("a row") else lines.replace(b"1\tAction", b"one\tAction"))
    with opened(place.target, place.dbms.secret, Timeouts()) as connection:
        if wrong.startswith("a value"):
            connection.query("DELETE FROM categories")
        with pytest.raises(TargetError, match="rows of categories were not loaded as they are") as caught:
            load_file(connection, block, TABLES["categories"], file)
    assert caught.value.error_class is ErrorClass.OTHER


def test_missing_right_to_create_the_database_names_the_remedy(scratch: Place, dbms: MariaDBUnderTest) -> None:
    dbms.run("", "CREATE USER nobodys IDENTIFIED BY 'Secret-1'")
    try:
        target = replace(scratch.target, user="nobodys")
        store = store_at(target, Secret("Secret-1"), Timeouts())
        with pytest.raises(UserError, match=r"GRANT ALL ON `contract_scratch`\.\* TO nobodys"):
            store.build(str(SIZE), SEED, replace=False, report_progress=silent, cancelled=never)
    finally:
        dbms.run("", "DROP USER nobodys")


def test_ids_go_on_behind_the_build_s(place: Place) -> None:
    next_ids = place.run(
        "SELECT table_name, auto_increment FROM information_schema.tables"
        f" WHERE table_schema = '{place.name}' AND auto_increment IS NOT NULL AND table_name <> 'reorder'"
    )
    rows = generated(SIZE, SEED)
    expected = {table: sum(rows[table].values()) + 1 for table in ("customers", "orders", "products")}
    assert {table: number for table, number in next_ids if table != "cust_hist"} == expected
