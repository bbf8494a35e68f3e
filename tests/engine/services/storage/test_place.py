"""Where the commands of storage run: not on a Windows of ours, which has no shell for them."""

import pytest

from engine.errors import UserError
from engine.machines.access import SshAccess
from engine.services.storage.place import Place


def test_storage_of_a_windows_workstation_is_refused_and_that_of_other_machines_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.services.storage.place._SYSTEM", "win32")
    with pytest.raises(UserError, match="can't be driven on Windows; give a machine of the inventory that runs Linux"):
        Place().run(["fio", "--version"])
    assert Place(SshAccess(host="store1", user="root")).arguments(["fio", "--version"])[-1] == "fio --version"
