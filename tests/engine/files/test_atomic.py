"""A file is written whole or not at all."""

from pathlib import Path

import pytest

from engine.errors import UserError
from engine.files.atomic import atomic_file


def write_half(path: Path) -> None:
    with atomic_file(path) as file:
        file.write(b"a half")
        raise ValueError("only half of it")


def test_file_appears_only_when_complete(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "a.json") as file:
        file.write(b"all")
        assert not (tmp_path / "a.json").exists()
    assert (tmp_path / "a.json").read_bytes() == b"all"
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"before")
    with pytest.raises(ValueError, match="half"):
        write_half(tmp_path / "a.json")
    assert (tmp_path / "a.json").read_bytes() == b"before"
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("place", ["no-folder/a.json", "a-folder"])
def test_unwritable_path_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "a-folder").mkdir()
    with (
        pytest.raises(UserError, match=f"{place} can't be written .*; choose another place"),
        atomic_file(tmp_path / place),
    ):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["a-folder"]
