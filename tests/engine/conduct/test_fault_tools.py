"""What injections are done with, and what is known to fail before a run; SQL goes to the session's real server."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.conduct.endpoint import Endpoint
from engine.conduct.fault_tools import InjectionTargets, RunLabAction, check_faults, injection_tools
from engine.errors import BadInput, UserError
from engine.faults.fault_text import parse_fault
from engine.faults.lab_actions import LabAction
from engine.faults.outcome import Outcome
from engine.lab.server import EmbeddedServer
from engine.machines.access import RedfishAccess, SshAccess
from engine.machines.inventory import Inventory
from engine.machines.machine import Machine, Role
from engine.secrets import Secret
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target
from tests.doubles.redfish_server import PASSWORD, USER, RedfishServer, make_certificate
from tests.doubles.ssh_server import SshServer

PAIR = Target(kind=EMBEDDED, nodes=2, sync=True)
REMOTE = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432), Host("db2", 5433)), user="me")


INVENTORY = Inventory(
    (
        Machine(name="db1", accesses=(SshAccess(host="127.0.0.1", port=1, user="root"),)),
        Machine(name="pdu", roles=(Role.POWER_METER,)),
    )
)


def run_lab_action(action: LabAction, *, node: int | None = None, value: float | None = None) -> str:
    return f"{action.value} of {node} by {value}"


def means_of(
    *stores: Target,
    endpoints: list[Endpoint] | None = None,
    in_lab: RunLabAction | None = run_lab_action,
    find: Callable[[str], Secret | None] = lambda _: None,
) -> InjectionTargets:
    return InjectionTargets(
        run_lab_action=in_lab,
        stores=stores,
        endpoints=endpoints or [Endpoint(store, None) for store in stores],
        find_secret=find,
        inventory=lambda: INVENTORY,
        secrets=tuple,
    )


def done(text: str, means: InjectionTargets) -> Outcome:
    injection = parse_fault(f"T+1 {text}").injection
    assert injection is not None
    return injection_tools(means, is_steady=lambda: True).executors[injection.kind](injection)


def test_lab_action_is_executed_by_the_lab() -> None:
    means = means_of(PAIR)
    assert done("delay network of node 2 by 50", means) == Outcome(output="delay_network of 2 by 50.0")
    assert done("kill primary", means_of(REMOTE, in_lab=None)).never_began


def test_command_is_executed() -> None:
    outcome = done(f"run {sys.executable} -c 'print(6 * 7)'", means_of(REMOTE))
    assert outcome == Outcome(output="42", exit_code=0)


def test_command_on_a_machine_of_the_inventory_says_where_it_was_reached(local_sshd: SshServer) -> None:
    inventory = Inventory((Machine(name="db1", accesses=(local_sshd.access,)),))
    outcome = done("ssh machine:db1 'echo $((6 * 7))'", replace(means_of(REMOTE), inventory=lambda: inventory))
    assert outcome == Outcome(output="42", exit_code=0, place=local_sshd.access.place)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")
def test_a_machine_of_the_inventory_is_reset_by_its_own_controller(tmp_path: Path) -> None:
    with RedfishServer(make_certificate(tmp_path)) as server:
        controller = RedfishAccess(url=server.url, user=USER, fingerprint=server.fingerprint)
        machines = Inventory((Machine(name="db1", accesses=(controller,)),))
        means = replace(means_of(REMOTE, find=lambda _: Secret(PASSWORD)), inventory=lambda: machines)
        check_faults([parse_fault("T+1 redfish ForceOff machine:db1")], means)
        assert server.resets == []
        outcome = done("redfish ForceOff machine:db1", means)
    assert outcome == Outcome(output="PowerEdge R630 was On; HTTP 204", place=server.url)
    assert server.resets == [("System.Embedded.1", "ForceOff")]


def test_sql_is_executed_on_the_host_that_is_named(embedded_server: EmbeddedServer) -> None:
    target = embedded_server.target("postgres")
    means = means_of(PAIR, endpoints=[Endpoint(target, embedded_server.secret)])
    assert done("sql select 6 * 7, null, 'x'", means) == Outcome(output="42, null, x / SELECT 1")
    assert done(f"sql select 1 on {target.hosts[0].name}", means).output == "1 / SELECT 1"
    refused = done("sql select * from nowhere", means)
    assert "nowhere" in refused.failure
    assert refused.never_began


def test_without_the_password_nothing_is_done(embedded_server: EmbeddedServer) -> None:
    target = embedded_server.target("postgres")
    outcome = done("sql select 1", means_of(PAIR, endpoints=[Endpoint(target, Secret("wrong"))]))
    assert outcome.never_began
    assert "rejected user" in outcome.failure


@pytest.mark.parametrize(
    ("text", "stores", "told"),
    [
        ("kill primary", (REMOTE,), "fault 'Kill primary': the run drives no embedded server; make the"),
        ("switchover", (Target(kind=EMBEDDED),), "'switchover' needs a standby"),
        ("kill primary of node 3", (PAIR,), "node 3 does not exist; give one from 1 to 2"),
        ("ssh machine:db2 true", (REMOTE,), "machine is 'db2', which is not in the inventory; did you mean 'db1'"),
        (
            "ssh machine:pdu true",
            (REMOTE,),
            "machine is 'pdu', which can't be reached by SSH (it has no access at all)",
        ),
        ("redfish On machine:db1", (REMOTE,), "machine is 'db1', which can't be reached by Redfish (it has SSH)"),
        ("ssh root@no-such-machine.invalid true", (REMOTE,), "no address is known for no-such-machine.invalid"),
        ("run /no/such/tool", (REMOTE,), "/no/such/tool is not a program on this machine"),
        ("kill primary for 5s then run /no/such/tool", (PAIR,), "fault 'Kill primary': /no/such/tool is not a program"),
        ("sql 'select 1' on host3", (REMOTE,), "host is 3, and the target has 2 hosts (db1:5432, db2:5433); give"),
        ("sql 'select 1' on db3", (REMOTE,), "host is db3, and the target has"),
        ("sql 'select 1' of target 2", (REMOTE,), "target is 2, and the plan has 1"),
    ],
)
def test_impossible_injections_are_rejected_before_the_run(text: str, stores: tuple[Target, ...], told: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_faults([parse_fault(f"T+1 {text}")], means_of(*stores))
    assert told in str(refused.value)


def test_file_that_is_not_executable_has_a_remedy(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo")
    with pytest.raises(BadInput, match="make it executable"):
        check_faults([parse_fault(f"T+1 run {script}")], means_of(REMOTE))
    script.chmod(0o755)
    check_faults([parse_fault(f"T+1 run {script}")], means_of(REMOTE))


def test_missing_ssh_program_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fault = parse_fault("T+1 ssh r630 uptime")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="this machine has no ssh"):
        check_faults([fault], means_of(REMOTE))
    (tmp_path / "ssh").write_text("#!/bin/sh\n")
    os.chmod(tmp_path / "ssh", 0o755)
    check_faults([fault], means_of(REMOTE))


def test_controller_is_checked_before_the_run_with_its_password() -> None:
    asked: list[str] = []

    def find(name: str) -> Secret | None:
        asked.append(name)
        return None

    fault = parse_fault("T+1 redfish ForceOff https://127.0.0.1:1 as admin within 1s")
    with pytest.raises(
        UserError, match=r"fault 'ForceOff by 127.0.0.1:1': the management controller .* did not answer"
    ):
        check_faults([fault], means_of(REMOTE, find=find))
    assert asked == ["https://admin@127.0.0.1:1"]


def test_possible_injections_pass_the_check() -> None:
    texts = ["kill primary", "delay network of node 2 by 5", "run /bin/sh", "shell 'a | b'", "sql x on host1", "mark y"]
    check_faults([parse_fault(f"T+1 {text}") for text in texts], means_of(PAIR, endpoints=[Endpoint(REMOTE, None)]))
