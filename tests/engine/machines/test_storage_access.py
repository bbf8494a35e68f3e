"""Which machines' storage can be driven."""

import pytest

from engine.errors import BadInput
from engine.machines.access import LocalAccess, SshAccess, SystemKind
from engine.machines.machine import Machine
from engine.machines.storage_access import storage_access, why_not_driven


def reached_by_ssh(system: SystemKind) -> Machine:
    return Machine(name="m1", accesses=(SshAccess(host="m1.lab", system=system),))


def test_linux_is_driven_over_ssh() -> None:
    machine = reached_by_ssh(SystemKind.LINUX)
    assert storage_access(machine).host == "m1.lab"
    assert why_not_driven(machine) == ""


@pytest.mark.parametrize(
    ("machine", "sentence"),
    [
        (
            reached_by_ssh(SystemKind.WINDOWS),
            "machine is 'm1', which runs Windows, where fio can't be driven; measure its disk with diskspd and import"
            " the result, or choose another one.",
        ),
        (reached_by_ssh(SystemKind.ESXI), "machine is 'm1', which runs ESXi, which has no fio; measure a virtual"),
        (Machine(name="m1", accesses=(LocalAccess(),)), "machine is 'm1', which can't be reached by SSH"),
    ],
)
def test_another_machine_is_refused_in_a_sentence(machine: Machine, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        storage_access(machine)
    assert str(refused.value).startswith(sentence)
    assert why_not_driven(machine) == str(refused.value)
