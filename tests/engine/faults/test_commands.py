"""Programs as injections, here and over SSH: real processes, whole trees of them, and a real SSH server."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from engine.faults.commands import run_command, run_program, run_ssh
from engine.faults.injections import CommandInjection
from engine.faults.outcome import OUTPUT_LIMIT, Outcome
from engine.machines.access import SshAccess
from tests.doubles.ssh_server import SshServer
from tests.waiting import wait_until

WITH_CHILD = """
trap '' TERM
sleep 600 &
echo $$ $! > "$1.new"
mv "$1.new" "$1"
wait
"""


def python(program: str, *arguments: str, seconds: float = 20.0) -> Outcome:
    return run_program([sys.executable, "-c", program, *arguments], seconds)


def test_output_and_exit_code_of_a_program() -> None:
    outcome = python("import sys; print('one'); print('two', file=sys.stderr, flush=True)")
    assert (sorted(outcome.output.split(" / ")), outcome.exit_code) == (["one", "two"], 0)
    assert outcome.failure == ""
    failed = python("raise SystemExit(7)")
    assert (failed.exit_code, failed.failure, failed.never_began) == (7, "it failed", False)


def test_arguments_reach_the_program_as_they_are() -> None:
    outcome = python("import sys; print(sys.argv[1:])", "$HOME; `id`", "a  b", "*")
    assert outcome.output == "['$HOME; `id`', 'a  b', '*']"


def test_command_runs_in_a_shell_only_on_request() -> None:
    in_shell = CommandInjection(arguments=("echo one | tr o 0; exit 3",), shell=True)
    assert run_command(in_shell) == Outcome(output="0ne", exit_code=3, failure="it failed")
    assert run_command(CommandInjection(arguments=("echo one | tr o 0",))).never_began


def test_a_program_that_is_not_there_never_began() -> None:
    outcome = run_command(CommandInjection(arguments=("/no/such/tool", "--x")))
    assert outcome == Outcome.not_begun("/no/such/tool can't be started (No such file or directory)")


def test_a_time_out_ends_the_whole_tree(tmp_path: Path) -> None:
    place = tmp_path / "pids"
    outcome = run_program(["/bin/sh", "-c", WITH_CHILD, "sh", str(place)], 3.0)
    assert outcome.failure == "it was ended after 3 s, its time-out"
    parent, child = map(int, place.read_text().split())
    wait_until(lambda: not (_runs(parent) or _runs(child)), "both have ended", timeout_seconds=60)


def test_program_ended_by_a_signal_is_reported() -> None:
    assert python("import os; os.kill(os.getpid(), 9)").failure == "it was ended by signal 9"


def test_of_much_output_the_beginning_is_kept_and_the_program_is_not_held_up() -> None:
    outcome = python("print('x' * 3_000_000)")
    assert outcome.exit_code == 0
    assert outcome.output.startswith("x" * OUTPUT_LIMIT)
    assert len(outcome.output) < OUTPUT_LIMIT + 60
    assert "characters more" in outcome.output


def test_surviving_child_does_not_delay_the_outcome(tmp_path: Path) -> None:
    place = tmp_path / "pid"
    program = (
        "import pathlib, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pathlib.Path(sys.argv[1]).write_text(str(child.pid))\n"
        "print('done')"
    )
    outcome = python(program, str(place), seconds=30.0)
    psutil.Process(int(place.read_text())).kill()
    assert outcome == Outcome(output="done", exit_code=0)


def test_no_password_of_ours_is_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("SPINDLE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SPINDLE_PASSWORD", "tiger")
    monkeypatch.setenv("SPINDLE_REDFISH_PASSWORD", "calvin")
    monkeypatch.setenv("UNTOUCHED", "here")
    outcome = python("import os; print({k for k in os.environ if k.startswith(('SPINDLE_', 'UNTOU'))})")
    assert outcome.output == "{'UNTOUCHED'}"
    assert os.environ["SPINDLE_PASSWORD"] == "tiger"


def _runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_output_and_exit_code_of_a_command_over_ssh(local_sshd: SshServer) -> None:
    outcome = run_ssh(local_sshd.access, "echo one; echo two >&2; exit 4", 20)
    assert (sorted(outcome.output.split(" / ")), outcome.exit_code) == (["one", "two"], 4)
    assert outcome.failure == "it failed"


def test_failure_of_ssh_itself_is_distinguished_from_the_commands(local_sshd: SshServer) -> None:
    outcome = run_ssh(local_sshd.access_with(known_hosts=""), "true", 20)
    assert outcome.exit_code == 255
    assert outcome.failure == f"ssh to {local_sshd.access.place} failed or was cut off"
    assert "Host key verification failed." in outcome.output


def test_an_ssh_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ssh").write_text("#!/bin/sh\nsleep 60\n")  # a real one would first take its time to connect
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert run_ssh(SshAccess(host="r630"), "true", 0.3).failure == "it was ended after 0.3 s, its time-out"
