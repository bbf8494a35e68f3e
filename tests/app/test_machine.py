import json
import tomllib
from pathlib import Path

import keyring
import pytest

from tests.app.calling import in_terminal
from tests.app.conftest import Spindle
from tests.doubles.memory_keyring import MemoryKeyring

DB1 = ("db1", "--host", "db1.lab", "--user", "root")


def machines_in(home: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = tomllib.loads((home / "machines.toml").read_text())["machine"]
    return found


def test_a_machine_with_several_accesses_is_added_shown_and_listed(spindle: Spindle, home: Path) -> None:
    assert "workstation  " in spindle("machine", "list").out
    added = spindle("machine", "add", "ssh", *DB1, "--role", "database-server", "--port", "2222")
    assert added.code == 0
    assert added.err == "spindle: added SSH (root@db1.lab:2222) to machine db1; try it with: spindle machine test db1\n"
    added = spindle("machine", "add", "redfish", "db1", "--url", "https://db1-bmc/", "--user", "admin")
    assert "store it with: spindle password https://admin@db1-bmc:443" in added.err
    assert machines_in(home) == [
        {
            "name": "db1",
            "roles": ["database_server"],
            "access": [
                {"kind": "ssh", "host": "db1.lab", "user": "root", "port": 2222},
                {"kind": "redfish", "url": "https://db1-bmc", "user": "admin"},
            ],
        }
    ]
    shown = spindle("machine", "show", "db1").out
    assert shown.startswith("db1, database server\n1: SSH\n   Host: db1.lab\n")
    assert "Password: not known" in shown
    listed = json.loads(spindle("machine", "list", "--json").out)
    assert [each["name"] for each in listed] == ["workstation", "db1"]


def test_an_access_is_replaced_removed_and_the_machine_renamed(spindle: Spindle, home: Path) -> None:
    spindle("machine", "add", "ssh", *DB1)
    twice = spindle("machine", "add", "ssh", *DB1)
    assert (twice.code, "has SSH at root@db1.lab twice" in twice.err) == (2, True)
    spindle("machine", "add", "ssh", "db1", "--host", "10.0.0.7", "--replace")
    spindle("machine", "add", "prometheus", "db1", "--url", "http://db1:9100", "--role", "storage")
    assert machines_in(home)[0]["access"] == [
        {"kind": "ssh", "host": "10.0.0.7"},
        {"kind": "prometheus", "url": "http://db1:9100/metrics"},
    ]
    assert spindle("machine", "remove", "db1", "--access", "1").code == 0
    assert spindle("machine", "set", "db1", "--name", "db2", "--role", "load machine").code == 0
    assert machines_in(home)[0] == {
        "name": "db2",
        "roles": ["load_machine"],
        "access": [{"kind": "prometheus", "url": "http://db1:9100/metrics"}],
    }
    assert spindle("machine", "remove", "db2").code == 0
    assert machines_in(home) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "bd1"), "machine is 'bd1', which is not in the inventory; did you mean 'db1'."),
        (("test", "bd1"), "did you mean 'db1'"),
        (("add", "ssh", "db1"), "an access of kind ssh has no host; give it one."),
        (("add", "ssh", "1db", "--host", "x"), "name is '1db'; give a letter first"),
        (("add", "ssh", "db1", "--host", "x", "--system", "linx"), "system is 'linx'; did you mean 'linux'."),
        (("set", "db1", "--role", "stroage"), "role is 'stroage'; did you mean 'storage'."),
        (("set", "db1", "--name", "workstation"), "name is 'workstation', and there is a machine 'workstation'"),
        (("remove", "db1", "--access", "2"), "access is 2, and machine 'db1' has 1; see spindle machine show db1."),
        (("remove", "workstation"), "is the one that Spindle runs on; it can't be removed."),
    ],
)
def test_what_can_not_be_is_refused_in_one_sentence(
    spindle: Spindle, home: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    spindle("machine", "add", "ssh", *DB1)
    before = machines_in(home)
    refused = spindle("machine", *arguments)
    assert refused.code == 2
    assert sentence in refused.err
    assert machines_in(home) == before


def test_secrets_are_in_the_keyring_and_nowhere_else(spindle: Spindle, home: Path) -> None:
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    spindle("machine", "add", "ipmi", "db1", "--host", "bmc", "--user", "admin")
    assert spindle("password", "ipmi://admin@bmc", typed="calvin\n").code == 0
    assert memory.kept == {("spindle", "ipmi://admin@bmc:623"): "calvin"}
    assert "Password: in the keyring, as ipmi://admin@bmc:623" in spindle("machine", "show", "db1").out
    assert "calvin" not in (home / "machines.toml").read_text()
    assert spindle("machine", "remove", "db1", "--forget").code == 0
    assert memory.kept == {}


def test_a_password_is_asked_for_and_without_a_keyring_the_machine_is_kept_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    code, shown = in_terminal(
        *("--home", str(tmp_path), "machine", "add", "ipmi", "db1", "--host", "bmc", "--user", "admin"),
        typed={"Password for ipmi://admin@bmc:623": "calvin\n"},
        columns=200,
    )
    assert code == 0
    assert "keyring can't be used (NoKeyringError); set SPINDLE_IPMI_PASSWORD instead." in shown
    assert "calvin" not in shown
    assert [each["name"] for each in machines_in(tmp_path)] == ["db1"]


def test_a_machines_secret_has_a_name_of_one_form(spindle: Spindle) -> None:
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    assert spindle("password", "snmp://pdu:161", typed="public\n").code == 0
    for url in ("snmp://me@pdu:161", "ipmi://bmc", "winrm://me:secret@db1"):
        refused = spindle("password", url, typed="x\n")
        assert (refused.code, "as `spindle machine show` does" in refused.err) == (2, True)
        assert "secret" not in refused.err
    assert list(memory.kept) == [("spindle", "snmp://pdu:161")]
