"""Whether there is room on a disk, and where else there is."""

import os
import stat
from pathlib import Path

import pytest

from engine.files.disk_space import (
    SPARE_VARIABLE,
    found_spares,
    label_of_spare,
    open_new,
    spare_folders,
    spare_name,
    spare_paths,
    why_unwritable,
)
from tests.small_disk import small_disk


def test_a_disk_that_is_full_or_read_only_is_reported_and_a_missing_folder_is_no_reason(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        path = disk.path / "file"
        assert why_unwritable(path) == ""
        disk.fill()
        assert why_unwritable(path) == "its disk is full"
        disk.make_room()
        disk.make_read_only()
        assert why_unwritable(path) == "its disk is read-only"
    assert why_unwritable(tmp_path / "nowhere" / "file") == ""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_missing_write_permission_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert why_unwritable(tmp_path / "file") == "you have no right to write to it"
    finally:
        tmp_path.chmod(0o700)


def test_the_users_own_folder_comes_before_those_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SPARE_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert spare_folders()[0] == tmp_path
    monkeypatch.setenv(SPARE_VARIABLE, str(tmp_path / "missing"))
    assert spare_folders() == []


def test_a_spare_file_is_found_by_its_home_and_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SPARE_VARIABLE, str(tmp_path))
    mine, other = (spare_name(tmp_path / name, "20261121-043017-abcd.sqlite") for name in ("mine", "other"))
    assert mine != other
    for name in (mine, other):
        (path,) = spare_paths(name)
        os.close(open_new(path))
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert found_spares(spare_name(tmp_path / "mine", "*.sqlite")) == [tmp_path / mine]
    assert label_of_spare(tmp_path / mine) == "20261121-043017-abcd"
    with pytest.raises(FileExistsError):
        open_new(tmp_path / mine)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links")
def test_a_link_is_no_spare_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SPARE_VARIABLE, str(tmp_path))
    (tmp_path / "real").write_text("x")
    name = spare_name(tmp_path, "a.rest")
    (tmp_path / name).symlink_to(tmp_path / "real")
    assert found_spares(name) == []
