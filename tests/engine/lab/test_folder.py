"""The files of a lab's folder, and its lock."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.lab.folder import FolderLock, KeeperAddress, LabFolder, Roles, write_private
from tests.engine.lab.processes import needs_signals

_HOLDER = """
import sys
from pathlib import Path
from engine.lab.folder import FolderLock, LabFolder
lock = FolderLock(LabFolder(Path(sys.argv[1])))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> LabFolder:
    folder = LabFolder(tmp_path / "lab")
    folder.create()
    return folder


def test_address_reads_back_and_hides_its_token(folder: LabFolder) -> None:
    address = KeeperAddress(port=4711, token="hush", pid=42)
    assert folder.read_address() is None
    folder.write_address(address)
    assert folder.read_address() == address
    assert "hush" not in repr(address)
    folder.forget_address()
    assert folder.read_address() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"port": "x", "token": "t", "pid": 1}'])
def test_damaged_address_counts_as_none(folder: LabFolder, text: str) -> None:
    (folder.root / "keeper.json").write_text(text)
    assert folder.read_address() is None


def test_password_is_made_once_and_a_missing_one_is_an_error(folder: LabFolder) -> None:
    with pytest.raises(UserError, match="password"):
        folder.password()
    made = folder.make_password()
    assert len(made.reveal()) >= 24
    assert folder.make_password() == folder.password() == made


def test_ports_are_kept_one_by_one_and_damaged_ones_count_as_none(folder: LabFolder) -> None:
    folder.write_port("node1", 25_000)
    folder.write_port("node2", 25_001)
    folder.write_port("node1", 25_002)
    assert folder.read_ports() == {"node1": 25_002, "node2": 25_001}
    for damaged in ("x", "[]", '{"node1": "x"}'):
        (folder.root / "ports.json").write_text(damaged)
        assert folder.read_ports() == {}


def test_roles_are_kept_and_of_a_new_folder_the_first_node_is_the_primary(folder: LabFolder) -> None:
    assert folder.read_roles() == Roles(primary="node1", in_line=frozenset())
    roles = Roles(primary="node2", in_line=frozenset({"node1", "node3"}))
    folder.write_roles(roles)
    assert folder.read_roles() == roles
    (folder.root / "roles.json").write_text('{"primary": "node2"}')
    assert folder.read_roles() == Roles()


def test_private_file_replaces_an_open_one_and_a_left_over(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    for place in (path, tmp_path / "secret.new"):
        place.write_text("old")
        place.chmod(0o644)
    write_private(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@needs_signals
def test_lock_is_one_process_and_free_after_its_death(folder: LabFolder) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(folder.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not FolderLock(folder).is_free()
    finally:
        holder.kill()
        holder.communicate(timeout=60)
    assert FolderLock(folder).is_free()


def test_folder_that_another_app_makes_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = Path.mkdir

    def second_to_make(path: Path, mode: int = 0o777, *, parents: bool = False, exist_ok: bool = False) -> None:
        make(path, mode, parents=parents, exist_ok=True)
        make(path, mode, parents=parents, exist_ok=exist_ok)

    monkeypatch.setattr(Path, "mkdir", second_to_make)
    LabFolder(tmp_path / "home" / "lab").create()
