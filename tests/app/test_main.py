import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.main import spindle as command
from tests.app.calling import COMMAND, REPOSITORY, in_process, in_terminal
from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep

COMMANDS = command.list_commands(command.make_context("spindle", ["--help"], resilient_parsing=True))


def test_no_command_without_display_prints_how_to_run(spindle: Spindle) -> None:
    code, out, err = spindle()
    assert (code, out) == (1, "")
    assert "there is no display for a window" in err
    assert "spindle run" in err
    assert len(err.splitlines()) == 1


def test_help_lists_exit_codes(spindle: Spindle) -> None:
    code, out, _ = spindle("--help")
    assert code == 0
    codes = (
        "0 completed, 1 failed, 2 bad input or an unknown run, 3 orders lost, 4 measured but not kept in the library"
    )
    assert f"Exit codes: {codes}, 130 stopped." in " ".join(out.split())


def test_the_list_of_commands_is_not_cut_in_80_columns() -> None:
    code, out, _ = in_process("--help")
    assert code == 0
    listed = out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in listed.splitlines()] == COMMANDS
    assert "..." not in listed
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(spindle: Spindle, name: str) -> None:
    code, out, err = spindle(name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: spindle {name}")
    assert "..." not in out.partition("Commands:\n")[2]


def test_version_is_printed(spindle: Spindle) -> None:
    code, out, _ = spindle("--version")
    assert code == 0
    assert out.startswith("spindle ")


@pytest.mark.parametrize(
    ("arguments", "kept_out"),
    [
        (("--help",), {"numpy", "psycopg", "sqlalchemy", "rich", "psutil", "keyring"}),
        (("run", "--help"), {"numpy", "psycopg", "sqlalchemy", "psutil", "keyring"}),
        (("lab", "status"), {"numpy", "psycopg", "sqlalchemy", "rich", "keyring"}),
        (("library", "list"), {"numpy", "psycopg", "alembic", "keyring"}),
    ],
)
def test_a_command_loads_only_what_it_needs(
    spindle: Spindle, home: Path, arguments: tuple[str, ...], kept_out: set[str]
) -> None:
    spindle("library", "list")  # the library is there, so that nothing has to be migrated
    loaded = (
        "import sys\n"
        "from app.cli.main import run_program\n"
        f"try: run_program({list(arguments)!r})\n"
        f"finally: print(sorted({kept_out!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_an_unexpected_error_is_one_sentence_and_goes_to_the_log_of_the_chosen_home(
    spindle: Spindle, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"

    def broken(_path: object) -> None:
        raise ZeroDivisionError("postgresql://me:hemlig@db1/ds2\nis not a number")

    monkeypatch.setattr("engine.plan.file.read_plan_file", broken)
    code, out, err = spindle("--home", str(other), "run", "plan.toml")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert f"see {other}/log/spindle.log for details" in err
    log = (other / "log" / "spindle.log").read_text(encoding="utf-8")
    assert "Traceback" in log
    assert "hemlig" not in log + err
    assert not home.exists()


def test_closed_output_pipe_prints_no_error(home: Path) -> None:
    keep(home, *(a_run(minutes_later=number) for number in range(40)))
    line = f'{" ".join(COMMAND)} library list | head -1; echo "code ${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", line], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] in ("code 0", "code 1")


def test_full_disk_on_output_is_reported(home: Path) -> None:
    keep(home, a_run())
    line = f'{" ".join(COMMAND)} library list > /dev/full; echo "code $?"'
    done = subprocess.run(["bash", "-c", line], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "code 1\n"
    assert done.stderr.startswith("spindle: no space left to write (No space left on device)")
    assert len(done.stderr.splitlines()) == 1


def test_output_encoding_without_thin_space_is_supported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(home, a_run(name="café"))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    code, out, err = in_process("library", "list")
    assert (code, err) == (0, "")
    assert "caf?" in out


def test_end_of_input_at_a_question_stops(store: str) -> None:
    code, shown = in_terminal("drop", "--target", store, typed={"to drop it": "\x04"})
    assert code == 130
    assert shown.rstrip().endswith("spindle: stopped.")


def test_entry_point_imports_no_heavy_modules() -> None:
    """Every client process imports the entry module anew."""
    loaded = (
        "import sys, app.__main__; print(sorted({'click', 'rich', 'numpy', 'sqlalchemy', 'engine'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
