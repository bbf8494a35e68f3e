from dataclasses import replace
from typing import Any

import pytest

from engine.faults.fault_text import parse_fault
from engine.record.record import Origin, RunRecord
from engine.report.method import method_sections, public_plan_sentences
from engine.target.target import Target
from tests.engine.report.reported import a_plan, a_reported_run, blocks_of, rows_of, table_of, texts_of, titles
from tests.texts import plain

WORKSTATION = {
    "system": "Linux", "release": "6.1", "machine": "x86_64", "processor": "Xeon", "processors": 16,
    "memory_mb": 65_536, "python": "3.11.7", "spindle": "0.1.0",
}  # fmt: skip


def a_server(**changed: Any) -> dict[str, Any]:
    server = {
        "host": "db1:5432",
        "target": "postgresql://walburga@db1/ds2",
        "product": "PostgreSQL",
        "version": "18.6",
        "store": {"size": "100MB"},
        "driver": "native protocol",
        "load_account": "The users connected as walburga, the target's own account.",
        "settings": {"shared_buffers": "8GB", "data_directory": "/srv/secret/data", "temp": "C:\\temp"},
    }
    return server | changed


def a_record(name: str = "a", servers: tuple[dict[str, Any], ...] = (), **changed: Any) -> RunRecord:
    environment = {"workstation": WORKSTATION, "servers": list(servers or (a_server(),))}
    return a_reported_run(name=name, environment=environment, **changed).record


def test_one_run_has_plan_parameters_server_and_workstation() -> None:
    sections = method_sections({"a": a_record()})
    assert titles(sections) == ["Method", "Servers", "Workstation"]
    blocks = blocks_of(sections)
    assert texts_of(blocks)[0].startswith("2 clients × 8 users against 1 store of 100MB on the embedded server.")
    assert ("think_time", "0.02") in rows_of(table_of(blocks, "The plan as parameters"))
    assert rows_of(table_of(blocks, "Stores and their servers")) == [
        ("this run", "db1:5432", "PostgreSQL", "18.6", "100MB", "native protocol")
    ]
    assert rows_of(table_of(blocks, "Settings of the servers")) == [("shared_buffers", "8GB")]
    assert "Memory, MB: 65 536" in [plain(text) for text in texts_of(blocks)]


def test_a_mail_servers_stores_are_mail_domains() -> None:
    plan = a_plan(targets=(Target.parse("mail://user@mx.lab/example.org")[0],), workload="mail", parameters={})
    blocks = blocks_of(method_sections({"a": replace(a_record(), plan=plan)}))
    assert rows_of(table_of(blocks, "Mail domains and their servers"))


def test_common_values_are_shown_once() -> None:
    blocks = blocks_of(method_sections({"a": a_record("a"), "b": a_record("b")}))
    assert len([text for text in texts_of(blocks) if "clients ×" in text]) == 1
    assert [column.title for column in table_of(blocks, "The plan as parameters").columns] == ["Parameter", "Value"]
    assert rows_of(table_of(blocks, "Stores and their servers"))[0][0] == "every run"


def test_different_values_are_shown_side_by_side() -> None:
    other = a_record("b", (a_server(version="17.5", settings={"jit": "on"}),), plan=a_plan(threads=32))
    blocks = blocks_of(method_sections({"a": a_record("a"), "b": other}))
    assert any(text.startswith("b: 2 clients × 32 users") for text in texts_of(blocks))
    assert ("n_threads", "8", "32") in rows_of(table_of(blocks, "The plan as parameters"))
    assert [row[0] for row in rows_of(table_of(blocks, "Stores and their servers"))] == ["a", "b"]
    assert ("jit", "–", "on") in rows_of(table_of(blocks, "Settings of the servers"))


def test_a_run_that_was_taken_in_has_neither_servers_nor_workstation() -> None:
    record = a_reported_run(origin=Origin.DS2_LOG, environment={}).record
    sections = method_sections({"a": record})
    assert titles(sections) == ["Method"]
    assert texts_of(blocks_of(sections))[0].startswith("Taken in from a DVD Store 2 driver's output.")


def test_several_databases_have_the_parameters_of_one() -> None:
    blocks = blocks_of(method_sections({"a": a_record(plan=a_plan(databases=2, clients=1))}))
    assert ("target", "localhost") in rows_of(table_of(blocks, "The plan as parameters"))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("T+2s kill primary", "Kill"),
        ("T+2s ssh walburga@r630 '/srv/secret/tool -x'", "a command on r630, over ssh"),
        ("T+2s run /srv/secret/tool --x", "a command on the workstation"),
        ("T+2s sql 'SELECT walburga' on db2", "SQL on host db2"),
        ("T+2s redfish ForceOff https://bmc as walburga", "ForceOff by the management controller bmc"),
    ],
)
def test_a_fault_is_described_without_user_path_and_command(fault: str, told: str) -> None:
    target = Target(kind="embedded", nodes=2, sync=True, failover="fast")
    plan = a_plan(targets=(target,), faults=(parse_fault(fault),))
    text = " ".join(public_plan_sentences(plan))
    assert told in text
    assert "walburga" not in text
    assert "secret" not in text


def test_method_contains_no_user_and_no_path() -> None:
    plan = a_plan(targets=(Target.parse("postgresql://walburga:hunter2@db1/ds2")[0],))
    sections = method_sections({"a": a_record(plan=plan, servers=(a_server(host="/srv/secret/socket:5432"),))})
    assert "walburga" not in repr(sections)
    assert "secret" not in repr(sections)
    assert "hunter2" not in repr(sections)
