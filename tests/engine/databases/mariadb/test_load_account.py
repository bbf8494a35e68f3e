from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.load_account import account_name
from engine.secrets import Secret
from tests.engine.databases.contract.places import Place
from tests.engine.databases.mariadb.under_test import MariaDBUnderTest
from tests.engine.workloads.dvdstore.sessions import store_at


def test_an_account_is_named_after_its_database() -> None:
    assert account_name("ds2") == "spindle_ds2"


def test_a_name_that_is_too_long_ends_with_a_hash_of_its_own() -> None:
    one, other = account_name("d" * 40 + "1"), account_name("d" * 40 + "2")
    assert len(one) == len(other) == 32
    assert one != other
    assert one == account_name("d" * 40 + "1")


def test_a_user_who_may_not_manage_accounts_has_no_load_account(place: Place, dbms: MariaDBUnderTest) -> None:
    dbms.run("", "CREATE USER owner IDENTIFIED BY 'Secret-1'")
    dbms.run("", f"GRANT ALL ON {place.name}.* TO owner")
    try:
        store = store_at(replace(place.target, user="owner"), Secret("Secret-1"), Timeouts())
        assert store.load_account() is None
        assert "stays" in store.drop() or not dbms.exists(place.name)
    finally:
        dbms.run("", "DROP USER owner")


def test_an_account_that_can_be_given_no_rights_is_not_left_behind(place: Place, dbms: MariaDBUnderTest) -> None:
    dbms.run("", "CREATE USER maker IDENTIFIED BY 'Secret-1'")
    dbms.run("", "GRANT ALL ON *.* TO maker")  # without GRANT OPTION
    try:
        store = store_at(replace(place.target, user="maker"), Secret("Secret-1"), Timeouts())
        assert store.load_account() is None
        assert dbms.run("", f"SELECT host FROM mysql.user WHERE user = '{account_name(place.name)}'") == []
    finally:
        dbms.run("", "DROP USER maker")


@pytest.mark.parametrize("where", ["%", "localhost"])
def test_the_account_may_execute_the_procedures_and_no_more(place: Place, dbms: MariaDBUnderTest, where: str) -> None:
    account = place.store.load_account()
    assert account is not None
    user, password = account
    try:
        grants = [text for (text,) in dbms.run("", f"SHOW GRANTS FOR '{user}'@'{where}'")]
    finally:
        place.store.drop()
    usage, *others = sorted(grants, key=lambda grant: not grant.startswith("GRANT USAGE ON *.*"))
    assert usage.startswith("GRANT USAGE ON *.*")
    assert len(others) == 7
    assert all(grant.startswith(f"GRANT EXECUTE ON PROCEDURE `{place.name}`.") for grant in others)
    assert all(password.reveal() not in grant for grant in grants)
