"""Machines of the inventory while they are edited: their accesses hold texts that may be invalid.

Called by the window's dialog of machines.
"""

from dataclasses import dataclass, field

from engine.errors import BadInput
from engine.figure_text import capitalised
from engine.machines.access import ACCESS_TYPES, Access, AccessKind, access_parameters, required_fields
from engine.machines.inventory import Inventory
from engine.machines.machine import WORKSTATION, Machine, Role
from engine.parameters.parameter import Parameter
from engine.secrets import Secret


@dataclass
class AccessDraft:
    """A way of reaching a machine as it is typed: ``typed`` has a text for each parameter, by its key.

    ``secret`` is a password that was typed and is to be kept; ``None`` leaves it as it is.
    """

    kind: AccessKind
    typed: dict[str, str] = field(default_factory=dict)
    secret: Secret | None = None

    def __post_init__(self) -> None:
        self.typed = {each.key: each.write(each.default) for each in self.parameters} | self.typed

    @classmethod
    def of(cls, access: Access) -> "AccessDraft":
        parameters = access_parameters(type(access))
        return cls(access.kind, {each.key: each.write(getattr(access, each.key)) for each in parameters})

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return access_parameters(ACCESS_TYPES[self.kind])

    @property
    def required(self) -> tuple[Parameter, ...]:
        """Those without which there is no access."""
        return tuple(each for each in self.parameters if each.key in required_fields(ACCESS_TYPES[self.kind]))

    @property
    def title(self) -> str:
        """The kind, and where it leads as soon as that can be read."""
        title = ACCESS_TYPES[self.kind].title
        if self.kind is AccessKind.LOCAL or self.validate():
            return title
        return f"{title}: {self.access().place}"

    def access(self) -> Access:
        """The access; raises ``BadInput`` that begins with the label of the field."""
        return ACCESS_TYPES[self.kind](**{each.key: each.read(self.typed[each.key]) for each in self.parameters})

    def validate(self) -> dict[str, str]:
        """What is wrong, by the parameters' keys: one sentence each."""
        errors = {}
        for each in self.parameters:
            try:
                each.read(self.typed[each.key])
            except BadInput as error:
                errors[each.key] = str(error)
        if not errors:
            try:
                self.access()
            except BadInput as error:  # of several fields together; it begins with the key of one
                key = str(error).partition(" ")[0]
                errors[key if key in self.typed else self.parameters[0].key] = capitalised(str(error))
        return errors


@dataclass
class MachineDraft:
    """A machine as it is typed."""

    name: str = ""
    roles: set[Role] = field(default_factory=set)
    accesses: list[AccessDraft] = field(default_factory=list)

    @classmethod
    def of(cls, machine: Machine) -> "MachineDraft":
        return cls(machine.name, set(machine.roles), [AccessDraft.of(each) for each in machine.accesses])

    @property
    def is_workstation(self) -> bool:
        return self.name == WORKSTATION

    def machine(self) -> Machine:
        """The machine; raises ``BadInput``."""
        roles = tuple(each for each in Role if each in self.roles)
        return Machine(name=self.name.strip(), roles=roles, accesses=tuple(each.access() for each in self.accesses))

    def secrets(self) -> dict[str, Secret]:
        """The passwords that were typed, by their names; raises ``BadInput``."""
        return {each.access().secret_name: each.secret for each in self.accesses if each.secret is not None}

    def problem(self) -> str:
        """What is wrong with it, in one sentence; empty when it is a machine."""
        try:
            self.machine()
        except BadInput as error:
            return capitalised(str(error))
        return ""


@dataclass
class InventoryDraft:
    """All machines as they are typed."""

    machines: list[MachineDraft]

    @classmethod
    def of(cls, inventory: Inventory) -> "InventoryDraft":
        return cls([MachineDraft.of(each) for each in inventory])

    def inventory(self) -> Inventory:
        """The inventory; raises ``BadInput``."""
        return Inventory(tuple(each.machine() for each in self.machines))

    def secrets(self) -> dict[str, Secret]:
        """The passwords that were typed, by their names; raises ``BadInput``."""
        return {name: secret for each in self.machines for name, secret in each.secrets().items()}

    def name_problem(self, draft: MachineDraft) -> str:
        """What is wrong with a machine's name, alone or beside the others; empty when nothing is."""
        try:
            Machine(name=draft.name.strip())
        except BadInput as error:
            return capitalised(str(error))
        name = draft.name.strip().casefold()
        if any(each.name.strip().casefold() == name for each in self.machines if each is not draft):
            return f"Name is '{draft.name.strip()}', and another machine has it; give another one."
        return ""
