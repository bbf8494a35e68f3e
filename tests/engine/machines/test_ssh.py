"""How the system's ssh is called, and what its failures mean: against a real SSH server with keys of its own."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from engine.machines.access import SshAccess
from engine.machines.ssh import FAILED, ssh_arguments, ssh_problem
from tests.doubles.ssh_server import SshServer

DB1 = SshAccess(host="db1", user="root", port=2222)
needs_ssh = pytest.mark.skipif(shutil.which("ssh") is None, reason="this machine has no ssh")


def problem_of(access: SshAccess) -> str:
    done = subprocess.run(ssh_arguments(access, "true"), capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == FAILED
    return str(ssh_problem(access, done.stderr))


def test_ssh_checks_host_keys_and_never_prompts() -> None:
    assert ssh_arguments(DB1, "ip link set eth0 down") == [
        *("ssh", "-T", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=10"),
        *("-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"),
        *("-p", "2222", "-l", "root", "--", "db1", "ip link set eth0 down"),
    ]


def test_user_port_and_configuration_are_ssh_s_own_when_they_are_not_given() -> None:
    arguments = ssh_arguments(SshAccess(host="db1"), "uptime", connect_seconds=3)
    assert arguments[-3:] == ["--", "db1", "uptime"]
    assert not {"-p", "-l", "-F"} & set(arguments)
    assert "ConnectTimeout=3" in arguments
    assert ssh_arguments(SshAccess(host="db1", config_file="/lab/ssh"), "x")[2:4] == ["-F", "/lab/ssh"]


@needs_ssh
def test_the_real_ssh_understands_the_options() -> None:
    program, *arguments = ssh_arguments(DB1, "true")
    parts = subprocess.run([program, "-G", *arguments], capture_output=True, text=True, timeout=20, check=True)
    settings = dict(line.split(" ", 1) for line in parts.stdout.splitlines() if " " in line)
    assert (settings["user"], settings["port"], settings["hostname"]) == ("root", "2222", "db1")
    assert settings["batchmode"] == "yes"
    assert settings["stricthostkeychecking"] in ("yes", "true")


def test_a_command_runs_there(local_sshd: SshServer) -> None:
    arguments = ssh_arguments(local_sshd.access, "echo $((6 * 7)); exit 4")
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (4, "42\n")


def test_an_unknown_host_key_is_never_accepted(local_sshd: SshServer) -> None:
    access = local_sshd.access_with(known_hosts="")
    assert "the host key of" in problem_of(access)
    assert "is not known; connect once by hand (ssh -F" in problem_of(access)


def test_a_changed_host_key_is_distinguished_from_an_unknown_one(local_sshd: SshServer) -> None:
    other = local_sshd.known_hosts.replace(local_sshd.host_key, local_sshd.other_key)
    assert "shows another host key than the one that is known; find out why" in problem_of(
        local_sshd.access_with(known_hosts=other)
    )


def test_a_key_that_is_refused_is_no_reason_to_ask_for_a_password(local_sshd: SshServer) -> None:
    access = local_sshd.access_with(key=local_sshd.unknown_key)
    assert "accepts none of your keys" in problem_of(access)
    assert "Spindle gives ssh no password" in problem_of(access)


@needs_ssh
def test_other_failures_name_the_place_and_what_ssh_says(tmp_path_factory: pytest.TempPathFactory) -> None:
    closed = SshAccess(host="127.0.0.1", port=1)
    assert problem_of(closed) == "127.0.0.1:1 refused the connection; is an SSH server running there, on that port?"
    missing = tmp_path_factory.mktemp("no") / "config"
    assert "ssh can't use its configuration for 127.0.0.1:1" in problem_of(replace(closed, config_file=str(missing)))


@pytest.mark.parametrize(
    ("messages", "sentence"),
    [
        ("ssh: Could not resolve hostname db9: Name or service not known", "no address is known for db1"),
        ("kex: closed\r\nConnection closed by 10.0.0.7 port 22\r\n", "failed (Connection closed by 10.0.0.7 port 22)"),
        ("", "ssh to root@db1:2222 failed (without a message); try ssh -p 2222 root@db1 by hand."),
    ],
)
def test_messages_of_ssh_that_need_a_network(messages: str, sentence: str) -> None:
    assert sentence in str(ssh_problem(DB1, messages))
