"""From the names of machines in a plan to collectors: what is refused, and what the run's record says."""

import pickle

import pytest

from engine.collect.sources.local import LocalSource
from engine.conduct.machines import ReadMachines, read_machines
from engine.errors import BadInput
from engine.machines.access import IpmiAccess, LocalAccess
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine
from engine.secrets import Secret

DB1 = Machine(name="db1", accesses=(LocalAccess(),))
STORAGE = Machine(name="storage")


def read(*names: str, machines: tuple[Machine, ...] = (DB1, STORAGE)) -> ReadMachines:
    return read_machines(names, lambda: Inventory(machines), lambda _: None, notify=pytest.fail)


def test_collectors_are_numbered_and_described_without_a_secret() -> None:
    found = read("workstation", "db1")
    assert [(start.number, start.machine) for start in found.starts] == [(1, "workstation"), (2, "db1")]
    assert isinstance(pickle.loads(pickle.dumps(found.starts[0])).make_source(), LocalSource)
    assert found.described[1] == {
        "name": "db1",
        "sources": [
            {
                "collector": 2,
                "access": "local",
                "place": "this workstation",
                "source": "local",
                "interval_seconds": 1.0,
                "is_average": False,
            }
        ],
    }


def test_an_unknown_machine_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(BadInput, match=r"machine is 'dp1', which is not in the inventory; did you mean 'db1'"):
        read("workstation", "dp1")


def test_a_machine_that_nothing_can_read_is_refused() -> None:
    with pytest.raises(BadInput, match=r"machine 'storage' has no access that can be read; add one, such as SSH"):
        read("storage")


def test_without_machines_the_inventory_is_not_read() -> None:
    assert read_machines((), pytest.fail, pytest.fail, notify=pytest.fail) == ReadMachines()


def test_the_secret_of_an_access_is_looked_up_under_its_name() -> None:
    asked = []

    def find(name: str) -> Secret:
        asked.append(name)
        return Secret("hidden")

    ipmi = IpmiAccess(host="10.0.0.7", user="admin")
    machine = Machine(name="bmc", accesses=(LocalAccess(), ipmi))
    found = read_machines(("bmc",), lambda: Inventory((machine,)), find, notify=lambda _: None)
    assert asked == [ipmi.secret_name]
    assert "hidden" not in repr(found)
