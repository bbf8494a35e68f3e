"""Storage as a system under test; implements ``engine.databases.database.System``."""

from typing import Any

from engine.databases.database import Prober, Store, Timeouts
from engine.errors import UserError
from engine.machines.access import SshAccess, access_from_dict
from engine.secrets import Secret
from engine.services.storage.fio.engines import fio_version
from engine.services.storage.place import Place
from engine.services.storage.store import FileStore, StorageDefinition
from engine.target.target import Host, Target


class Storage:
    """A file on a disk. Its clients run a program, and there is no probe."""

    def driver(self, target: Target) -> str:
        return f"fio {fio_version(place_of(target))}"

    def store(self, target: Target, secret: Secret | None, timeouts: Timeouts, definition: Any) -> Store:
        assert isinstance(definition, StorageDefinition)
        return FileStore(target, place_of(target), definition)

    def prober(self, target: Target, host: Host, secret: Secret | None) -> Prober:
        raise UserError(f"storage is not probed beside the load, and {target.url} names no host.")

    def probed(self, target: Target) -> Target:
        return target

    def elsewhere(self, target: Target) -> Target | None:
        return None


def place_of(target: Target) -> Place:
    """The machine that has the file of a resolved target."""
    if not target.storage.machine:
        return Place()
    access = access_from_dict(dict(target.storage.reached))
    if not isinstance(access, SshAccess):
        raise UserError(f"machine {target.storage.machine} is not reached by ssh; add that access to it.")
    return Place(access)
