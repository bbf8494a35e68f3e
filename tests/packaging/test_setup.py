"""What packaging/setup.sh asks, and whom: run on a pseudo-terminal, with programs that log their calls."""

import os
import pty
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_PACKAGING = Path(__file__).parents[2] / "packaging"
_DRIVER_INSTALLED = "--constraint packaging/constraints.txt mssql-python-odbc"
_DRIVER_QUESTION = "Its licence is Microsoft's, not Spindle's. [y/N]"
_SUDO_QUESTION = "these are missing: libmissing0. Install them with sudo apt-get? [Y/n]"
_KEEPING = 'echo "$(basename "$0") $*" >> "$LOG"\n'
# The driver's package counts as installed when the test says so; only libmissing.so.0 can't be loaded.
_PYTHON = """\
case "$*" in
    *mssql_python_odbc*) [ -n "${HAS_DRIVER:-}" ] ;;
    *libmissing*) exit 1 ;;
    *libgssapi*) [ -z "${NO_KERBEROS:-}" ] ;;
    *"pip install"*mssql-python-odbc*) [ -z "${NO_PACKAGE:-}" ] ;;
    *"pip install"*--editable*) echo "CFLAGS=${CFLAGS:-}" >> "$LOG" ;;
    *CFLAGS*) echo -O2 ;;
    *ext-modules*) [ -z "${NO_MODULES:-}" ] ;;
esac
"""


@dataclass(frozen=True)
class SetUp:
    """How a set-up ended: its exit code, what it said, and the programs that it called."""

    code: int
    said: str
    calls: list[str]

    @property
    def has_installed_driver(self) -> bool:
        return any(_DRIVER_INSTALLED in call for call in self.calls)


class Machine:
    """A folder with setup.sh and a Linux of few programs, used by somebody who is not root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log = folder / "calls"
        self._log.touch()
        shutil.copytree(_PACKAGING, folder / "packaging")
        (folder / "packaging" / "system-libraries.txt").write_text("library zlib1g libz.so.1\n")
        self.program("id", "echo 1000\n")
        self.program("uname", "echo Linux\n")
        self.program("apt-cache", "exit 0\n")
        self.program("apt-get", _KEEPING)
        self.program("sudo", f'{_KEEPING}[ "$1" != -n ] || shift\n[ "$1" != true ] || exit 0\nexec "$@"\n')
        self.program("python", f"{_KEEPING}{_PYTHON}")
        self.program("python", f"{_KEEPING}{_PYTHON}", folder / ".venv" / "bin")

    def program(self, name: str, script: str, folder: Path | None = None) -> None:
        place = (folder or self.folder / "bin") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"#!/bin/sh\n{script}")
        place.chmod(0o755)

    def lack_library(self) -> None:
        (self.folder / "packaging" / "system-libraries.txt").write_text("library libmissing0 libmissing.so.0\n")

    def set_up_at_terminal(self, answer: str, **environment: str) -> SetUp:
        """Each question is given the answer, a line."""
        keyboard, screen = pty.openpty()
        running = subprocess.Popen(
            ["sh", "packaging/setup.sh"],
            cwd=self.folder,
            env=self._environment(environment),
            stdin=screen,
            stdout=screen,
            stderr=screen,
        )
        os.close(screen)
        said, answered = "", 0
        with suppress(OSError):  # so a terminal's end is told when all who had it open are gone
            while piece := os.read(keyboard, 4096):
                said += piece.decode()
                if said.count("/n] ") + said.count("/N] ") > answered:
                    answered += 1
                    os.write(keyboard, answer.encode() + b"\n")
        os.close(keyboard)
        return SetUp(running.wait(timeout=60), said, self._log.read_text().splitlines())

    def set_up_alone(self, *arguments: str, **environment: str) -> SetUp:
        """Without a terminal."""
        done = subprocess.run(
            ["sh", "packaging/setup.sh", *arguments],
            cwd=self.folder,
            env=self._environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return SetUp(done.returncode, done.stdout + done.stderr, self._log.read_text().splitlines())

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        path = f"{self.folder / 'bin'}:/usr/bin:/bin"
        return {"PATH": path, "PYTHON": str(self.folder / "bin" / "python"), "LOG": str(self._log), **more}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(("answer", "is_installed"), [("", False), ("n", False), ("y", True), ("Yes", True)])
def test_a_user_at_a_terminal_is_asked_for_microsofts_driver(machine: Machine, answer: str, is_installed: bool) -> None:
    done = machine.set_up_at_terminal(answer)
    assert _DRIVER_QUESTION in done.said
    assert (done.code, done.has_installed_driver) == (0, is_installed)
    assert any("--editable ." in call for call in done.calls)


@pytest.mark.parametrize(("setting", "is_installed"), [("1", True), ("0", False)])
def test_a_user_who_has_decided_before_is_not_asked(machine: Machine, setting: str, is_installed: bool) -> None:
    done = machine.set_up_at_terminal("", SPINDLE_MSSQL=setting)
    assert "[y/N]" not in done.said
    assert (done.code, done.has_installed_driver) == (0, is_installed)


def test_a_driver_that_is_installed_stays_up_to_date_without_a_question(machine: Machine) -> None:
    done = machine.set_up_at_terminal("", HAS_DRIVER="1")
    assert "[y/N]" not in done.said
    assert (done.code, done.has_installed_driver) == (0, True)


def test_a_continuous_integration_with_a_terminal_is_asked_nothing(machine: Machine) -> None:
    done = machine.set_up_at_terminal("y", CI="true")
    assert (done.code, done.said, done.has_installed_driver) == (0, "", False)


def test_root_is_asked_nothing(machine: Machine) -> None:
    machine.program("id", "echo 0\n")
    machine.lack_library()
    done = machine.set_up_at_terminal("y")
    assert (done.code, "?" in done.said, done.has_installed_driver) == (0, False, False)
    assert any(call.startswith("apt-get install") for call in done.calls)
    assert not any(call.startswith("sudo") for call in done.calls)


@pytest.mark.parametrize(("environment", "is_installed"), [({}, False), ({"SPINDLE_MSSQL": "1"}, True)])
def test_without_a_terminal_the_environment_decides(
    machine: Machine, environment: dict[str, str], is_installed: bool
) -> None:
    done = machine.set_up_alone(**environment)
    assert (done.code, done.said, done.has_installed_driver) == (0, "", is_installed)


def test_a_system_without_the_drivers_package_is_set_up_all_the_same(machine: Machine) -> None:
    done = machine.set_up_alone(SPINDLE_MSSQL="1", NO_PACKAGE="1")
    assert done.code == 0
    assert "Microsoft's ODBC driver was not installed" in done.said


def test_the_driver_is_given_kerberos_library(machine: Machine) -> None:
    machine.program("id", "echo 0\n")
    done = machine.set_up_alone(SPINDLE_MSSQL="1", NO_KERBEROS="1")
    assert done.code == 0
    assert any(call.startswith("apt-get install") and call.endswith("libgssapi-krb5-2") for call in done.calls)


@pytest.mark.parametrize("answer", ["", "y"])
def test_a_user_at_a_terminal_is_asked_before_sudo(machine: Machine, answer: str) -> None:
    machine.lack_library()
    done = machine.set_up_at_terminal(answer)
    assert _SUDO_QUESTION in done.said
    assert done.code == 0
    sudo = [call for call in done.calls if call.startswith("sudo")]
    assert [call.split()[2] for call in sudo] == ["update", "install"]
    assert sudo[-1].endswith("libmissing0")


def test_without_sudo_the_missing_packages_are_listed(machine: Machine) -> None:
    machine.lack_library()
    done = machine.set_up_at_terminal("n")
    assert done.code == 1
    assert "Run: sudo apt-get install libmissing0" in done.said
    assert not any(call.startswith("sudo") for call in done.calls)


def test_without_a_terminal_sudo_is_used_where_it_asks_for_no_password(machine: Machine) -> None:
    machine.lack_library()
    done = machine.set_up_alone()
    assert done.code == 0
    assert any(call.startswith("sudo -n apt-get install") for call in done.calls)


@pytest.fixture
def developers_machine(machine: Machine) -> Machine:
    """One that has the servers, and downloads none."""
    (machine.folder / "packaging" / "test-servers.txt").write_text("")
    (machine.folder / "packaging" / "test-mysql.sh").write_text("")
    return machine


def test_only_a_developer_is_stopped_by_the_compilers_warnings(developers_machine: Machine) -> None:
    assert "CFLAGS=-g" in developers_machine.set_up_alone(CFLAGS="-g").calls
    assert "CFLAGS=-g -Wall -Wextra -Werror" in developers_machine.set_up_alone("dev", CFLAGS="-g").calls


def test_what_a_developer_compiles_is_optimized_as_a_users(developers_machine: Machine) -> None:
    assert "CFLAGS=" in developers_machine.set_up_alone().calls, "setuptools then takes Python's own flags"
    assert "CFLAGS=-O2 -Wall -Wextra -Werror" in developers_machine.set_up_alone("dev").calls


def test_a_set_up_without_compiled_modules_serves_users_but_not_developers(developers_machine: Machine) -> None:
    users, developers = (developers_machine.set_up_alone(*arguments, NO_MODULES="1") for arguments in [(), ("dev",)])
    assert (users.code, "the compiled modules were not built" in users.said) == (0, True)
    assert (developers.code, "packaging/check_c.py" in developers.said) == (1, True)


def test_the_tests_ssh_server_is_no_service(developers_machine: Machine) -> None:
    servers = developers_machine.folder / "packaging" / "test-servers.txt"
    servers.write_text("program openssh-server no-such-sshd\n")
    developers_machine.program("systemctl", _KEEPING)
    calls = developers_machine.set_up_alone("dev").calls
    kept = [call for call in calls if call.startswith(("systemctl", "apt-get install"))]
    assert kept == [
        "systemctl --quiet mask ssh.service ssh.socket",
        "apt-get install -q -y --no-install-recommends --no-remove openssh-server",
        "systemctl --quiet unmask ssh.service ssh.socket",
        "systemctl --quiet disable ssh.service ssh.socket",
    ]


def test_the_programs_of_a_list_are_installed_without_an_environment(machine: Machine) -> None:
    (machine.folder / "list.txt").write_text("# A comment.\nprogram dpkg-dev no-such-program\nprogram coreutils cat\n")
    machine.program("id", "echo 0\n")
    done = machine.set_up_alone("programs", "list.txt")
    assert done.code == 0
    installed = [call for call in done.calls if call.startswith("apt-get install")]
    assert [call.split()[-1] for call in installed] == ["dpkg-dev"]
    assert not any("pip install" in call for call in done.calls)
