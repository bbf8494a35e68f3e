"""Who runs the servers: decided by who we are, what the folder lets through, and who owns the data."""

import os
import pwd
import shutil
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.lab import account as account_module
from engine.lab.account import choose_account, may_enter
from engine.lab.binaries import bin_directory
from engine.lab.folder import is_root
from tests.engine.lab.processes import as_root

_STRANGER = 54_321


def test_folder_is_open_only_when_every_folder_above_is(bare_folder: Path) -> None:
    (bare_folder / "inner").mkdir(parents=True)
    assert may_enter(bare_folder / "inner", _STRANGER, [_STRANGER])
    bare_folder.chmod(0o700)
    assert not may_enter(bare_folder / "inner", _STRANGER, [_STRANGER])
    assert may_enter(bare_folder / "inner", os.geteuid(), [])


def test_group_rights_apply_to_members_and_other_rights_to_the_rest(bare_folder: Path) -> None:
    bare_folder.mkdir()
    group = bare_folder.stat().st_gid
    bare_folder.chmod(0o710)
    assert may_enter(bare_folder, _STRANGER, [group])
    assert not may_enter(bare_folder, _STRANGER, [_STRANGER])
    bare_folder.chmod(0o701)
    assert not may_enter(bare_folder, _STRANGER, [group])


@pytest.mark.skipif(is_root(), reason="root is refused by PostgreSQL")
def test_ordinary_user_runs_the_servers(tmp_path: Path) -> None:
    account = choose_account(tmp_path, tmp_path / "data")
    assert (account.identity, account.prefix, account.note) == ({}, (), "")


@as_root
def test_root_uses_the_account_that_owns_the_data(bare_folder: Path) -> None:
    data = bare_folder / "data"
    data.mkdir(parents=True)
    daemon = pwd.getpwnam("daemon")
    os.chown(data, daemon.pw_uid, daemon.pw_gid)
    account = choose_account(bare_folder, data)
    assert account.identity == {"user": daemon.pw_uid, "group": daemon.pw_gid, "extra_groups": []}
    assert "daemon" in account.note


@as_root
def test_programs_out_of_the_accounts_reach_are_copied_into_the_folder(
    bare_folder: Path, closed_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare_folder.mkdir()
    shutil.copytree(bin_directory().parent, closed_folder / "package", symlinks=True)
    monkeypatch.setattr(account_module, "bin_directory", lambda: closed_folder / "package" / "bin")
    account = choose_account(bare_folder, bare_folder / "data")
    assert account.programs.is_relative_to(bare_folder)
    assert account.can_run()


@as_root
def test_root_without_an_account_gets_folder_and_remedy(closed_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed_folder.mkdir()
    monkeypatch.setenv("PATH", str(closed_folder))  # there is no unshare here
    with pytest.raises(UserError, match="choose another home folder") as caught:
        choose_account(closed_folder, closed_folder / "data")
    assert str(closed_folder) in str(caught.value)


@as_root
def test_data_of_an_account_that_can_no_longer_enter_are_left_alone(closed_folder: Path) -> None:
    data = closed_folder / "data"
    data.mkdir(parents=True)
    nobody = pwd.getpwnam("nobody")
    os.chown(data, nobody.pw_uid, nobody.pw_gid)
    with pytest.raises(UserError, match="can't be entered"):
        choose_account(closed_folder, data)
