"""The package's programs are found, and a copy of them serves as well."""

import subprocess
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.lab.binaries import client_tool, copy_into, program, server_version


def test_client_tool_runs() -> None:
    answer = subprocess.run(
        [client_tool("pgbench"), "--version"], capture_output=True, text=True, timeout=120, check=True
    )
    assert answer.stdout.split()[-1] == server_version()


def test_unknown_tool_is_named() -> None:
    with pytest.raises(UserError, match="'pgspin'"):
        client_tool("pgspin")


def test_copy_runs_and_is_made_once(tmp_path: Path) -> None:
    (tmp_path / f"postgresql-{server_version()}.unfinished").mkdir()
    copy = copy_into(tmp_path)
    subprocess.run([program(copy, "postgres"), "--version"], capture_output=True, timeout=120, check=True)
    assert not list(tmp_path.rglob("*.a"))
    assert not (copy.parent / "include").exists()
    made = copy.parent.stat().st_ino
    assert copy_into(tmp_path) == copy
    assert copy.parent.stat().st_ino == made
    assert [path.name for path in tmp_path.iterdir()] == [copy.parent.name]
