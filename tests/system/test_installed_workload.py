"""The workload of a third party's package: every command of a real program, with real client processes and server."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.lab.server import EmbeddedServer
from engine.places import HOME_VARIABLE
from tests.app.calling import Outcome, in_process
from tests.doubles.toy_package import install_toy

_SHOPS = 20


class Program:
    """The program, for which the package is installed, and a database of the session's server."""

    def __init__(self, url: str) -> None:
        self._target = ("--target", url, "--workload", "toy")

    def on_store(self, command: str, *words: str, code: int = 0) -> Outcome:
        """A command on the workload's store."""
        return self(command, *self._target, *words, code=code)

    def __call__(self, *words: str, code: int = 0) -> Outcome:
        done = in_process(*words)
        assert done.code == code, done
        return done


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedded_server: EmbeddedServer) -> Path:
    """Where packages are installed for the programs of this test."""
    installed = tmp_path / "installed"
    installed.mkdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("SPINDLE_PASSWORD", embedded_server.secret.reveal())
    return installed


@pytest.fixture
def program(embedded_server: EmbeddedServer) -> Iterator[Program]:
    program = Program(embedded_server.target("toy_system").url)
    yield program
    in_process("drop", "--target", embedded_server.target("toy_system").url, "--workload", "toy", "--yes")


def _run(program: Program, result: Path, *, code: int = 0) -> dict[str, Any]:
    words = (
        "--users",
        "3",
        "--think-time-ms",
        "20",
        "--warmup",
        "0",
        "--minutes",
        "2s",
        "--audit",
        "--quiet",
        "--json",
        str(result),
    )
    program.on_store("run", *words, code=code)
    told: dict[str, Any] = json.loads(result.read_text())
    return told


def test_it_is_built_run_verified_audited_shown_reported_reset_and_dropped(
    folder: Path, program: Program, tmp_path: Path
) -> None:
    install_toy(folder)
    assert "toy" in program("run", "--help").out
    built = program.on_store("build", "--shops", str(_SHOPS)).out
    assert f"{4 * _SHOPS} rows" in built
    assert "as built" in program.on_store("verify").out

    run = _run(program, tmp_path / "run.json")
    assert run["state"] == "completed"
    assert run["vpm"] > 0
    assert run["visits"] > 0
    assert run["errors"] == {}
    counts = run["audit"]["stores"][0]["counts"]
    assert run["audit"]["verdict"] == "clean"
    assert counts["acknowledged"] == counts["present"] == run["since_start"]["visits"]
    assert "VPM" in program("library", "show", "last").out
    assert f"{counts['acknowledged']:,} visits added since the build" in program.on_store("verify").out

    report = tmp_path / "report.html"
    program("report", "last", "--out", str(report))
    assert "VPM" in report.read_text(encoding="utf-8")
    program("audit", "last")

    program.on_store("reset")
    assert "as built" in program.on_store("verify").out
    program.on_store("drop", "--yes")
    assert "does not exist" in program.on_store("verify", code=1).err


def test_a_workload_without_a_ledger_is_run_and_the_audit_says_so(
    folder: Path, program: Program, tmp_path: Path
) -> None:
    install_toy(folder, has_ledger=False)
    program.on_store("build")
    run = _run(program, tmp_path / "run.json", code=1)
    assert (run["state"], run["audit"]["verdict"]) == ("completed", "not possible")
    assert run["visits"] > 0
    assert run["audit"]["stores"][0]["notes"] == [
        "It could not be audited: workload 'toy' records no transactions in the ledger."
    ]


def test_targets_that_it_has_nothing_for_are_refused_in_one_sentence(folder: Path, program: Program) -> None:
    install_toy(folder)
    done = program("build", "--target", "mssql://sa@127.0.0.1:1/toy", "--workload", "toy", code=2)
    assert done.err.splitlines() == [
        "spindle: workload toy can't be run on mssql; choose another target, or another workload."
    ]


def test_a_broken_package_is_refused_by_its_name_alone(folder: Path, program: Program) -> None:
    install_toy(folder)
    (folder / "toy_shops" / "user.py").write_text("raise RuntimeError('made for another Spindle')\n")
    refused = program.on_store("run", code=2).err
    assert refused.splitlines() == [
        "spindle: workload 'toy' can't be loaded (RuntimeError: made for another Spindle); update or remove the package"
        " that it comes with."
    ]
    assert "toy can't be loaded." in " ".join(program("run", "--help").out.split())
    program("build", "--workload", "wholesale", "--dry-run")
