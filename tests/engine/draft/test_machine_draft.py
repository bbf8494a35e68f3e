import pytest
from hypothesis import given

from engine.draft.machine_draft import AccessDraft, InventoryDraft, MachineDraft
from engine.errors import BadInput
from engine.machines.access import AccessKind, RedfishAccess, SshAccess
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine, Role
from engine.secrets import Secret
from tests.engine.machines.accesses import MACHINES


@given(MACHINES)
def test_a_machine_survives_being_edited(machine: Machine) -> None:
    draft = MachineDraft.of(machine)
    assert set(draft.machine().roles) == set(machine.roles)
    assert draft.machine().accesses == machine.accesses
    assert draft.problem() == ""


def test_a_new_access_says_what_is_missing_beside_its_fields() -> None:
    draft = AccessDraft(AccessKind.REDFISH)
    assert draft.title == "Redfish"
    assert draft.validate() == {
        "url": "URL is ''; write https://host or https://host:port: a password goes over HTTPS only.",
        "user": "User is ''; give the controller's user, without a password.",
    }
    draft.typed |= {"url": "https://bmc", "user": "admin", "fingerprint": "ab" * 32, "ca_file": "/ca.pem"}
    assert list(draft.validate()) == ["fingerprint"]
    draft.typed["ca_file"] = ""
    assert draft.title == "Redfish: https://bmc"
    assert draft.access() == RedfishAccess(url="https://bmc", user="admin", fingerprint="ab" * 32)


def test_numbers_and_choices_are_read_from_texts() -> None:
    draft = AccessDraft.of(SshAccess(host="db1", port=2222))
    assert (draft.typed["port"], draft.typed["system"]) == ("2222", "linux")
    draft.typed["port"] = "2222x"
    assert draft.validate() == {"port": "Port is '2222x'; give a whole number."}
    draft.typed["port"] = ""
    assert draft.access() == SshAccess(host="db1")


def test_names_are_checked_alone_and_beside_each_other() -> None:
    draft = InventoryDraft.of(Inventory((Machine(name="db1", roles=(Role.STORAGE,)),)))
    new = MachineDraft(name="DB1")
    draft.machines.append(new)
    assert draft.name_problem(new) == "Name is 'DB1', and another machine has it; give another one."
    with pytest.raises(BadInput, match="there is a machine 'db1'"):
        draft.inventory()
    new.name = "1db"
    assert draft.name_problem(new).startswith("Name is '1db'; give a letter first")
    new.name = " db2 "
    assert draft.name_problem(new) == ""
    assert draft.inventory().names == ("workstation", "db1", "db2")


def test_typed_passwords_are_by_the_names_of_their_accesses() -> None:
    access = AccessDraft(AccessKind.IPMI, {"host": "bmc", "user": "admin"}, Secret("calvin"))
    machine = MachineDraft(name="db1", accesses=[access, AccessDraft(AccessKind.SSH, {"host": "db1"})])
    assert InventoryDraft([machine]).secrets() == {"ipmi://admin@bmc:623": Secret("calvin")}
