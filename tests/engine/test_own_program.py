"""How Spindle starts parts of itself, and what a frozen program's environment is for others."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from engine.own_program import PARTS, open_missing_streams, own_command, restore_environment, run_part

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyInstaller's loader marks its program; only the mark is there."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)


def test_a_part_is_started_by_python_from_a_clone() -> None:
    assert own_command("keeper", "/lab") == [sys.executable, "-m", "engine", "_keeper", "/lab"]


@pytest.mark.usefixtures("frozen")
def test_a_part_is_started_by_the_program_itself_when_frozen() -> None:
    assert own_command("reaper", "/lab") == [sys.executable, "_reaper", "/lab"]


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_a_main_function(part: str) -> None:
    assert callable(import_module(PARTS[part]).main)


def test_arguments_that_name_no_part_are_left_to_the_caller() -> None:
    for arguments in ([], ["run"], ["keeper"], ["_unknown"], ["--version"]):
        run_part(arguments)


@pytest.mark.parametrize("module", ["engine", "app"])
def test_a_part_runs_by_the_engine_and_by_the_program(module: str, tmp_path: Path) -> None:
    (tmp_path / "node1").mkdir()
    command = [sys.executable, "-m", module, "_reaper", str(tmp_path)]
    done = subprocess.run(
        command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_engine_alone_names_its_parts() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engine"], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "engine: name one of the parts: _keeper, _reaper, _scheduler\n"


def bundled() -> dict[str, str]:
    """The environment of a frozen program."""
    return {
        "PATH": "/usr/bin",
        "LD_LIBRARY_PATH": "/opt/spindle/_internal",
        "QT_PLUGIN_PATH": "/opt/spindle/_internal/PySide6/Qt/plugins",
        "QML2_IMPORT_PATH": "/opt/spindle/_internal/PySide6/Qt/qml",
        "_PYI_APPLICATION_HOME_DIR": "/opt/spindle/_internal",
    }


@pytest.mark.usefixtures("frozen")
def test_programs_are_started_without_the_bundles_libraries() -> None:
    environment = bundled()
    restore_environment(environment)
    assert environment == {"PATH": "/usr/bin"}


@pytest.mark.usefixtures("frozen")
def test_the_users_own_library_path_is_restored() -> None:
    environment = bundled() | {"LD_LIBRARY_PATH_ORIG": "/opt/oracle/lib"}
    restore_environment(environment)
    assert environment == {"PATH": "/usr/bin", "LD_LIBRARY_PATH": "/opt/oracle/lib"}


def test_the_environment_of_a_clone_stays_as_it_is() -> None:
    environment = bundled()
    restore_environment(environment)
    assert environment == bundled()


def test_streams_that_are_missing_are_opened_and_others_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.stderr
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stdout", None)
    open_missing_streams()
    assert sys.stdin.read() == ""
    assert sys.stdout.write("lost") == 4
    assert sys.stderr is before
    assert os.path.samestat(os.fstat(sys.stdout.fileno()), os.stat(os.devnull))
    sys.stdin.close()
    sys.stdout.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the streams")
def test_the_program_works_without_standard_streams(tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m app --home "{tmp_path}" library list <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", command], cwd=REPOSITORY, timeout=60, check=False)
    assert done.returncode == 0
