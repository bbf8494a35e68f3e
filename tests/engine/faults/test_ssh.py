"""Commands over SSH. There is no SSH server on the machines that test this, so a script on PATH stands for the program
ssh and what is behind it; the real ssh, where there is one, says that it understands the options."""

import shutil
import subprocess
from pathlib import Path

import pytest

from engine.faults.injections import SshInjection
from engine.faults.outcome import Outcome
from engine.faults.ssh import run_ssh, ssh_arguments

DOWN = SshInjection(host="r630", user="root", port=2222, command="ip link set eth0 down")


def a_program(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder / "ssh"
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_ssh_checks_host_keys_and_never_prompts() -> None:
    assert ssh_arguments(DOWN) == [
        *("ssh", "-T", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=10"),
        *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"),
        *("-p", "2222", "-l", "root", "--", "r630", "ip link set eth0 down"),
    ]


def test_user_and_port_are_ssh_s_own_when_they_are_not_given() -> None:
    arguments = ssh_arguments(SshInjection(host="r630", command="uptime", timeout_seconds=3))
    assert arguments[-3:] == ["--", "r630", "uptime"]
    assert not {"-p", "-l"} & set(arguments)
    assert "ConnectTimeout=3" in arguments


def test_output_and_exit_code_of_a_remote_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_program(tmp_path, 'for each in "$@"; do echo "<$each>"; done; exit 4', monkeypatch)
    outcome = run_ssh(DOWN)
    assert outcome.exit_code == 4
    assert outcome.output.endswith("<-l> / <root> / <--> / <r630> / <ip link set eth0 down>")
    assert outcome.failure == "it failed"


def test_failure_of_ssh_itself_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_program(tmp_path, "echo 'Host key verification failed.' >&2; exit 255", monkeypatch)
    assert run_ssh(DOWN) == Outcome(
        output="Host key verification failed.",
        exit_code=255,
        failure="ssh to root@r630:2222 failed or was cut off",
    )


def test_a_connection_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_program(tmp_path, "sleep 60", monkeypatch)
    outcome = run_ssh(SshInjection(host="r630", command="x", timeout_seconds=0.3))
    assert outcome.failure == "it was ended after 0.3 s, its time-out"


@pytest.mark.skipif(shutil.which("ssh") is None, reason="this machine has no ssh")
def test_the_real_ssh_understands_the_options() -> None:
    program, *arguments = ssh_arguments(DOWN)
    parts = subprocess.run([program, "-G", *arguments], capture_output=True, text=True, timeout=20, check=True)
    settings = dict(line.split(" ", 1) for line in parts.stdout.splitlines() if " " in line)
    assert (settings["user"], settings["port"], settings["hostname"]) == ("root", "2222", "r630")
    assert settings["batchmode"] == "yes"
    assert settings["stricthostkeychecking"] in ("yes", "true")


@pytest.mark.skipif(shutil.which("ssh") is None, reason="this machine has no ssh")
def test_ssh_to_a_closed_port_fails() -> None:
    outcome = run_ssh(SshInjection(host="127.0.0.1", port=1, command="true", timeout_seconds=20))
    assert outcome.exit_code == 255
    assert "refused" in outcome.output.lower()
