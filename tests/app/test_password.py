from pathlib import Path

import keyring
import pytest

from tests.app.conftest import STORE, Spindle
from tests.doubles.memory_keyring import MemoryKeyring

URL = "postgresql://me@db1:5433"
NAME = "postgresql://me@db1:5433"


@pytest.fixture
def memory() -> MemoryKeyring:
    """The keyring of this test; the command line's own fixture puts the old one back."""
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    return backend


def test_a_password_is_kept_for_all_databases_of_server_and_user(spindle: Spindle, memory: MemoryKeyring) -> None:
    code, out, err = spindle("password", f"{URL}/ds2", typed="hemlig\n")
    assert (code, out) == (0, "")
    assert err == f"spindle: stored the password for {NAME}.\n"
    assert memory.kept == {("spindle", NAME): "hemlig"}


def test_a_management_controllers_password_is_kept_under_a_name_of_its_own(
    spindle: Spindle, memory: MemoryKeyring
) -> None:
    assert spindle("password", "https://admin@BMC1/", typed="calvin\n").code == 0
    assert memory.kept == {("spindle", "https://admin@bmc1:443"): "calvin"}


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (r"mssql://sa@db1\prod", r"mssql://sa@db1\prod"),
        ("mssql://db1/ds2?trust_server_certificate=yes", "mssql://sa@db1:1433"),
        ("mariadb://db1,db2", "mariadb://root@db1:3306,db2:3306"),
        ("mysql://me@db1:3307/ds2", "mysql://me@db1:3307"),
    ],
)
def test_each_kind_has_its_name(spindle: Spindle, memory: MemoryKeyring, url: str, name: str) -> None:
    assert spindle("password", url, typed="hemlig\n").code == 0
    assert memory.kept == {("spindle", name): "hemlig"}


def test_password_is_deleted_on_request(spindle: Spindle, memory: MemoryKeyring) -> None:
    spindle("password", URL, typed="hemlig\n")
    assert spindle("password", URL, "--forget").code == 0
    assert memory.kept == {}
    code, _, err = spindle("password", URL, "--forget")
    assert code == 1
    assert f"holds no password for {NAME}" in err


@pytest.mark.parametrize(
    ("url", "typed", "expected"),
    [
        (URL, "", "the password is empty"),
        ("postgresql://me:hemlig@db1", "", "already contains a password"),
        ("postgresql://me@a;postgresql://me@b", "", "the URL of one server"),
        ("embedded:///ds2", "", "the URL of one server"),
        ("db1", "", "is not a URL"),
        ("mssql://db1?authentication=integrated", "", "takes no password"),
        ("https://bmc1", "", "write https://admin@bmc1"),
        ("https://admin:hemlig@bmc1", "", "write https://admin@bmc1"),
    ],
)
def test_url_without_a_server_is_rejected(
    spindle: Spindle, memory: MemoryKeyring, url: str, typed: str, expected: str
) -> None:
    code, _, err = spindle("password", url, typed=typed)
    assert code == 2
    assert expected in err
    assert "hemlig" not in err
    assert memory.kept == {}


def test_without_a_keyring_the_variable_is_named(spindle: Spindle) -> None:
    from keyring.backends.fail import Keyring as NoKeyring

    keyring.set_keyring(NoKeyring())
    code, _, err = spindle("password", URL, typed="hemlig\n")
    assert code == 1
    assert "set SPINDLE_PASSWORD instead" in err
    assert "hemlig" not in err


def test_a_kept_password_opens_the_store(
    spindle: Spindle, store: str, memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    import os

    password = os.environ["SPINDLE_PASSWORD"]
    monkeypatch.delenv("SPINDLE_PASSWORD")
    spindle("password", store, typed=password + "\n")
    code, out, _ = spindle("verify", "--target", store)
    assert code == 0
    assert f"{STORE}: " in out
