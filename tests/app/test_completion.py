"""The completion of a real bash, driven as bash drives it."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.calling import REPOSITORY
from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep

BASH = """
eval "$(spindle completion bash)"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
function=$(complete -p spindle | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
$function spindle
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `spindle` on the path, as an installation puts it there."""
    script = tmp_path / "bin" / "spindle"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\ncd {REPOSITORY} && exec {sys.executable} -m app "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")


def completed(*words: str) -> list[str]:
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH, "bash", "spindle", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("",), {"run", "demo", "build", "verify", "reset", "drop", "library", "lab", "password", "ds2", "completion"}),
        (("li",), {"library"}),
        (("library", "re"), {"rename", "restore"}),
        (("lab", ""), {"status", "start", "stop"}),
        (("run", "--th"), {"--threads", "--think-time-ms"}),
        (("library", "list", "--state", "st"), {"stopping", "stopped"}),
        (("build", "--db-size", "10"), {"10MB", "100MB", "10GB", "100GB"}),
        (("completion", ""), {"bash", "zsh", "fish"}),
    ],
)
def test_bash_completion_offers_commands_and_options(words: tuple[str, ...], offered: set[str]) -> None:
    assert offered <= set(completed(*words))


@pytest.mark.usefixtures("program")
def test_bash_completion_offers_library_runs(home: Path) -> None:
    records = [a_run(minutes_later=number) for number in range(2)]
    keep(home, *records)
    everything = set(completed("library", "show", ""))
    assert everything == {"last", *(record.run_id for record in records)}
    assert completed("library", "export", records[0].run_id[:-2]) == [records[0].run_id]


@pytest.mark.usefixtures("program")
def test_run_completion_creates_no_library(home: Path) -> None:
    assert completed("library", "show", "") == []
    assert not home.exists()


def damaged(library: Path) -> None:
    library.write_bytes(b"no library at all " * 1_000)


def older(library: Path) -> None:
    with closing(sqlite3.connect(library)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0004'")
        connection.commit()


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("change", [damaged, older])
def test_run_completion_does_not_repair_the_library(home: Path, change: Callable[[Path], None]) -> None:
    keep(home, a_run())
    library = home / "library.sqlite"
    change(library)
    before = library.read_bytes()
    assert completed("library", "show", "") == []
    assert library.read_bytes() == before
    assert [each.name for each in home.glob("library.*-*.sqlite")] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_completion_script(spindle: Spindle, shell: str) -> None:
    code, out, err = spindle("completion", shell)
    assert (code, err) == (0, "")
    assert "_SPINDLE_COMPLETE" in out
