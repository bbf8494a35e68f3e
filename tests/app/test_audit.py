"""`spindle audit` after runs on the session's real server."""

import json
from pathlib import Path

import psycopg

from engine.lab.server import EmbeddedServer
from tests.app.calling import in_process
from tests.app.conftest import STORE, Spindle
from tests.app.runs import a_run, keep
from tests.app.test_run import SHORT


def test_audit_command_finds_no_loss_then_a_lost_order(
    store: str, home: Path, spindle: Spindle, embedded_server: EmbeddedServer
) -> None:
    ran = in_process("run", "--target", store, *SHORT, "--threads", "2", "--quiet", "--reset", "--json", "-")
    assert ran.code == 0, ran.err
    run_id = json.loads(ran.out)["run_id"]
    assert (home / "ledgers" / run_id / "client-1.ledger").exists()

    clean = spindle("audit")
    assert clean.code == 0, clean.err
    assert clean.out.startswith("No order was lost: the server holds all of ")
    assert "audit      No order was lost" in spindle("library", "show", "last").out

    target = embedded_server.target(STORE)
    with psycopg.connect(
        host=target.hosts[0].name,
        port=target.hosts[0].port,
        user=target.user,
        dbname=STORE,
        password=embedded_server.secret.reveal(),
    ) as connection:
        row = connection.execute("DELETE FROM orders WHERE orderid = 1201 RETURNING orderid").fetchone()
    assert row is not None
    lost = spindle("audit", run_id[:13], "--json", "-")
    assert lost.code == 3
    report = json.loads(lost.out)
    assert (report["run_id"], report["verdict"]) == (run_id, "lost")
    assert report["orders"]["lost"] == 1
    assert report["stores"][0]["examples"]["lost"][0]["order"] == 1201
    kept = json.loads(spindle("library", "show", "last", "--json").out)["audit"]
    assert {"run_id": run_id, **kept} == report
    assert embedded_server.secret.reveal() not in lost.out + lost.err
    built = in_process("build", "--target", store, "--db-size", "1MB", "--replace")  # the other tests share it
    assert built.code == 0, built.err


def test_run_of_an_older_version_can_not_be_audited(home: Path, spindle: Spindle) -> None:
    keep(home, a_run())
    code, out, _ = spindle("audit", "last")
    assert code == 1
    assert "the run has no ledger" in out


def test_unwritable_report_path_is_rejected_before_the_audit(home: Path, spindle: Spindle) -> None:
    keep(home, a_run())
    code, _, err = spindle("audit", "--json", str(home / "nowhere" / "report.json"))
    assert code == 2
    assert "can't be written" in err


def test_an_empty_library_has_nothing_to_audit(spindle: Spindle) -> None:
    code, _, err = spindle("audit")
    assert code == 2
    assert "holds no run yet" in err
