"""By which access the storage of a machine can be driven, and why that of some machines can't be."""

from engine.errors import BadInput
from engine.machines.access import SshAccess, SystemKind
from engine.machines.machine import Machine

_NOT_DRIVEN = {
    SystemKind.WINDOWS: "runs Windows, where fio can't be driven; measure its disk with diskspd and import the result",
    SystemKind.ESXI: "runs ESXi, which has no fio; measure a virtual machine's disk",
}


def storage_access(machine: Machine) -> SshAccess:
    """The access by which fio is run there; raises ``BadInput`` where it can't be."""
    access = machine.access_of(SshAccess)
    if access.system in _NOT_DRIVEN:
        raise BadInput(f"machine is '{machine.name}', which {_NOT_DRIVEN[access.system]}, or choose another one.")
    return access


def why_not_driven(machine: Machine) -> str:
    """Why the machine's storage can't be driven, as a sentence; empty where it can be."""
    try:
        storage_access(machine)
    except BadInput as error:
        return str(error)
    return ""
