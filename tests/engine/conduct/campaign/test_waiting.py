"""What a campaign waits for, asked on this machine.

``ssh`` and ``systemctl`` are scripts on PATH: the machines that test this run no SSH server, and some no systemd.
"""

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from engine.campaign.conditions import parse_condition
from engine.conduct.campaign.waiting import check_condition, missing
from engine.conduct.endpoint import Endpoint
from engine.conduct.fault_tools import InjectionTargets
from engine.errors import BadInput
from engine.machines.access import SnmpAccess, SshAccess
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the scripts are for a Unix shell")
NO_TARGETS = InjectionTargets(
    run_lab_action=None,
    stores=(),
    endpoints=(),
    find_secret=lambda _name: None,
    inventory=Inventory,
    secrets=lambda: (),
)
WITH_MACHINES = replace(
    NO_TARGETS,
    inventory=lambda: Inventory(
        (
            Machine(name="db1", accesses=(SshAccess(host="127.0.0.1"),)),
            Machine(name="pdu", accesses=(SnmpAccess(host="pdu", oid="1.3.6"),)),
        )
    ),
)
SSH = 'for last; do :; done; exec sh -c "$last"'  # the command is its last argument


def lacking(text: str) -> str:
    return missing(parse_condition(text), NO_TARGETS)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Program":
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return Program(tmp_path)


class Program:
    """Puts scripts on PATH."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, script: str) -> None:
        path = self._folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)


def test_a_port_is_open_while_somebody_listens() -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        place = f"port 127.0.0.1:{door.getsockname()[1]}"
        assert lacking(place) == "Connection refused"
        door.listen()
        assert lacking(place) == ""
    assert "not known" in lacking("port no-such-machine.invalid:5432")


def test_machines_of_the_inventory_are_asked_where_they_are(program: "Program") -> None:
    program.put("ssh", SSH)
    program.put("cat", "echo 0.31 0.20 0.10 1/200 4711")
    with socket.create_server(("127.0.0.1", 0)) as door:
        place = f"port machine:db1:{door.getsockname()[1]}"
        assert missing(parse_condition(place), WITH_MACHINES) == ""
    assert missing(parse_condition("load below 0.5 on machine:db1"), WITH_MACHINES) == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ping machine:db2", "machine is 'db2', which is not in the inventory; did you mean 'db1'"),
        ("port machine:pdu:80", "machine is 'pdu', whose own host is not known; add an SSH access to it."),
        ("service postgresql on machine:pdu", "machine is 'pdu', which can't be reached by SSH (it has SNMP)"),
    ],
)
def test_machines_that_can_not_be_asked_are_refused_beforehand(text: str, sentence: str, program: "Program") -> None:
    program.put("ssh", SSH)
    program.put("ping", "exit 0")
    with pytest.raises(BadInput) as refused:
        check_condition(parse_condition(text), WITH_MACHINES)
    assert sentence in str(refused.value)


def test_a_service_is_active_when_systemd_says_so(program: "Program") -> None:
    program.put("systemctl", '[ "$1 $2" = "is-active postgresql" ] && echo active || { echo inactive; exit 3; }')
    assert lacking("service postgresql") == ""
    assert lacking("service mariadb") == "inactive"


def test_a_service_here_is_refused_where_systemd_does_not_run(program: "Program") -> None:
    program.put("systemctl", "echo offline; exit 1")
    with pytest.raises(BadInput, match="systemd does not run; name the machine behind 'on'"):
        check_condition(parse_condition("service postgresql"), NO_TARGETS)
    program.put("systemctl", "echo degraded; exit 1")
    check_condition(parse_condition("service postgresql"), NO_TARGETS)


@pytest.mark.parametrize("text", ["ping {}", "port {}:22", "load below 1 on root@{}", "service ssh on {}"])
def test_an_unknown_machine_is_refused_before_the_first_step(text: str) -> None:
    with pytest.raises(BadInput, match=r"no address is known for no-such-machine\.invalid; check the host's name"):
        check_condition(parse_condition(text.format("no-such-machine.invalid")), NO_TARGETS)
    check_condition(parse_condition(text.format("127.0.0.1")), NO_TARGETS)


def test_replication_needs_a_replica_and_names_the_target_as_it_is_planned() -> None:
    planned = Target(kind=EMBEDDED, database="ds2")
    reached = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 4711),), database="ds2")
    targets = replace(NO_TARGETS, stores=(planned,), endpoints=(Endpoint(reached, None),))
    with pytest.raises(BadInput, match="target embedded:///ds2 has one host, so no replica is known"):
        check_condition(parse_condition("replication"), targets)


def test_the_load_is_read_over_ssh(program: "Program") -> None:
    program.put("ssh", SSH)
    program.put("cat", "echo 0.31 0.20 0.10 1/200 4711")
    assert lacking("load below 0.5 on root@r630") == ""
    assert lacking("load below 0.3 on root@r630") == "the load is 0.31"
    program.put("cat", "echo no such file; exit 1")
    assert lacking("load below 0.3 on root@r630") == "no such file"
    program.put("ssh", "echo 'root@r630: Permission denied (publickey).'; exit 255")
    assert lacking("load below 0.3 on root@r630").startswith("root@r630 accepts none of your keys; load the right one")
