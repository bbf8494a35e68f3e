import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput, UserError
from engine.files.lock import FileLock, changing
from engine.machines.access import LocalAccess, RedfishAccess, SnmpAccess, SshAccess
from engine.machines.inventory import Inventory, change_inventory, read_inventory
from engine.machines.machine import WORKSTATION, Machine, Role
from tests.engine.machines.accesses import MACHINES

DB1 = Machine(name="db1", roles=(Role.DATABASE_SERVER,), accesses=(SshAccess(host="db1.lab", user="root"),))
PDU = Machine(name="pdu", roles=(Role.POWER_METER,), accesses=(SnmpAccess(host="pdu", oid="1.3.6", factor=10),))


@given(st.lists(MACHINES, max_size=3, unique_by=lambda machine: machine.name))
def test_an_inventory_survives_being_stored(machines: list[Machine]) -> None:
    inventory = Inventory(tuple(machines))
    assert Inventory.from_dict(inventory.to_dict()) == inventory


def test_the_file_is_written_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "home" / "machines.toml"
    change_inventory(path, lambda _: Inventory((DB1, PDU)))
    assert read_inventory(path) == Inventory((DB1, PDU))
    assert {each.name for each in path.parent.iterdir()} == {"machines.toml", ".machines.toml.lock"}


def test_programs_that_change_it_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "machines.toml"
    program = """
import sys
from pathlib import Path
from engine.machines.inventory import change_inventory
from engine.machines.machine import Machine
for number in range(10):
    change_inventory(Path(sys.argv[1]), lambda now: now.put(Machine(name=f"{sys.argv[2]}{number}")))
"""
    programs = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in ("a", "b")]
    assert [each.wait(60) for each in programs] == [0, 0]
    assert set(read_inventory(path).names) == {
        WORKSTATION,
        *(f"{name}{number}" for name in "ab" for number in range(10)),
    }


def test_a_change_that_is_refused_leaves_the_file_and_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "machines.toml"
    change_inventory(path, lambda _: Inventory((DB1,)))
    with pytest.raises(BadInput):
        change_inventory(path, lambda now: now.without("db2"))
    assert read_inventory(path) == Inventory((DB1,))
    lock = FileLock(path.with_name(".machines.toml.lock"))
    assert lock.acquire()
    with pytest.raises(UserError, match=r"machines.toml is being changed by another program; try again"):
        changing(path, wait_seconds=0).__enter__()
    lock.release()


def test_the_workstation_is_always_there(tmp_path: Path) -> None:
    local = Machine(name=WORKSTATION, accesses=(LocalAccess(),))
    assert tuple(read_inventory(tmp_path / "machines.toml")) == (local,)
    metered = Machine(name=WORKSTATION, accesses=PDU.accesses)
    inventory = Inventory((DB1, metered))
    assert inventory.names == ("db1", WORKSTATION)
    assert inventory.machine(WORKSTATION).accesses == (LocalAccess(), *PDU.accesses)
    with pytest.raises(BadInput, match="it can't be removed"):
        inventory.without(WORKSTATION)


def test_a_machine_is_added_replaced_renamed_and_removed() -> None:
    inventory = Inventory().put(DB1).put(PDU)
    assert inventory.names == (WORKSTATION, "db1", "pdu")
    renamed = inventory.put(Machine(name="db2", accesses=DB1.accesses), instead_of="db1")
    assert renamed.names == (WORKSTATION, "db2", "pdu")
    assert renamed.put(Machine(name="db2")).machine("db2").accesses == ()
    assert renamed.without("db2").names == (WORKSTATION, "pdu")
    with pytest.raises(BadInput, match="name is 'PDU', and there is a machine 'pdu'; give another one"):
        renamed.put(Machine(name="PDU"))


def test_an_unknown_machine_is_refused_with_the_nearest() -> None:
    inventory = Inventory((DB1, PDU))
    with pytest.raises(BadInput, match="machine is 'bd1', which is not in the inventory; did you mean 'db1'"):
        inventory.machine("bd1")
    with pytest.raises(BadInput, match="add it, or give one of workstation, db1, pdu"):
        inventory.without("???")
    assert inventory.access_of("db1", SshAccess).host == "db1.lab"
    with pytest.raises(BadInput, match="machine is 'pdu', which can't be reached by Redfish"):
        inventory.access_of("pdu", RedfishAccess)


@pytest.mark.parametrize(
    ("plain", "sentence"),
    [
        ({"machines": []}, "key 'machines' is not known; did you mean 'machine'."),
        ({"machine": {"name": "a"}}, "machine is not a list of tables; write [[machine]] before each machine."),
        ({"machine": ["a"]}, "machine 1 is not a table; write [[machine]] before it."),
        ({"machine": [{"roles": []}]}, "machine 1 has no name; give it one."),
        ({"machine": [{"name": "a", "role": []}]}, "machine 'a': key 'role' is not known; did you mean 'roles'."),
        ({"machine": [{"name": "a", "roles": "storage"}]}, "machine 'a': roles is 'storage'; give a list in square"),
        (
            {"machine": [{"name": "a", "roles": ["storeage"]}]},
            "machine 'a': role is 'storeage'; did you mean 'storage'",
        ),
        (
            {"machine": [{"name": "a", "access": [{"kind": "ssh", "host": "x", "por": 2}]}]},
            "machine 'a': por is not known for SSH; did you mean 'port'.",
        ),
        ({"machine": [{"name": "1"}]}, "machine '1': name is '1'; give a letter first"),
        ({"machine": [{"name": "a"}, {"name": "A"}]}, "name is 'A', and there is a machine 'a'; give another one."),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_the_remedy(plain: Any, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "machines.toml"
    path.write_text(tomli_w.dumps(plain))
    with pytest.raises(BadInput) as refused:
        read_inventory(path)
    assert f"inventory {path}: " in str(refused.value)
    assert sentence in str(refused.value)


def test_a_file_that_is_not_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "machines.toml"
    path.write_text("[[machine]\n")
    with pytest.raises(BadInput, match=r"inventory .*machines.toml is not TOML: .*line 1"):
        read_inventory(path)
