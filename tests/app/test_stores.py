import re
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest

from engine.conduct.leasing import Leases, StoreLease, taken
from engine.databases.database import Timeouts
from engine.databases.lease import Claim
from engine.lab.server import EmbeddedServer
from engine.target.target import Target
from tests.app.calling import REPOSITORY, in_terminal
from tests.app.conftest import STORE, Spindle
from tests.engine.workloads.dvdstore.sessions import store_at

DATABASE = "command_line_stores"
# The command line where a server says that it has room for one store and not for two.
_WITHOUT_ROOM = """
import engine.databases.postgresql.store as store
store.free_bytes = lambda _connection: 1_900_000
from app.cli.main import run_program
run_program()
"""


@pytest.fixture
def url(store: str, embedded_server: EmbeddedServer) -> Iterator[str]:
    """A place for stores that no other test uses, empty before and after."""
    yield store.replace(STORE, DATABASE)
    with psycopg.connect(store, password=embedded_server.secret.reveal(), autocommit=True) as connection:
        for name in (DATABASE, f"{DATABASE}_1", f"{DATABASE}_2"):
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def test_dry_run_prints_rows_and_bytes(spindle: Spindle) -> None:
    code, out, err = spindle("build", "--dry-run", "--db-size", "100GB")
    assert code == 0
    lines = [re.split(" {2,}", line) for line in out.splitlines()[1:]]
    rows = {cells[0]: cells[1] for cells in lines}
    assert [rows[each] for each in ("customers", "orders", "products")] == [
        *("200\u202f000\u202f000", "120\u202f000\u202f000", "1\u202f000\u202f000")
    ]
    assert "nothing was built" in err


def test_build_verify_reset_and_drop(url: str, spindle: Spindle) -> None:
    built = spindle("build", "--target", url, "--db-size", "1MB")
    assert built.code == 0, built.err
    assert built.out.startswith(f"{DATABASE}: 1MB, ")
    assert f"building {DATABASE}: loading customers" in built.err

    again = spindle("build", "--target", url, "--db-size", "1MB")
    assert again.code == 1
    assert "add --replace" in again.err

    verified = spindle("verify", "--target", url)
    assert verified.code == 0
    assert "WRONG" not in verified.out
    assert f"{DATABASE}: 1MB, seed 1, as built" in verified.out

    short = ("--think-time-ms", "20", "--warmup", "0", "--minutes", "0.02")
    assert spindle("run", "--target", url, *short, "--quiet").code == 0
    used = spindle("verify", "--target", url)
    assert used.code == 0
    assert "history rows added since the build" in used.out

    reset = spindle("reset", "--target", url)
    assert (reset.code, reset.out) == (0, f"{DATABASE} reset to what was built\n")
    assert "as built" in spindle("verify", "--target", url).out

    dropped = spindle("drop", "--target", url, "--yes")
    assert (dropped.code, dropped.out) == (0, f"dropped database '{DATABASE}' with its store\n")
    gone = spindle("verify", "--target", url)
    assert gone.code == 1
    assert f"'{DATABASE}' does not exist" in gone.err


def test_verification_fails_for_missing_rows(url: str, spindle: Spindle, embedded_server: EmbeddedServer) -> None:
    spindle("build", "--target", url, "--db-size", "1MB")
    with psycopg.connect(url, password=embedded_server.secret.reveal(), autocommit=True) as connection:
        connection.execute("DELETE FROM orderlines WHERE orderid = 7")
    code, out, _ = spindle("verify", "--target", url)
    assert code == 1
    assert "WRONG" in out


def test_several_stores_at_once_are_dropped_when_each_name_is_typed(url: str, spindle: Spindle) -> None:
    assert spindle("build", "--target", url, "--databases", "2", "--db-size", "1MB").code == 0
    code, shown = in_terminal(
        *("drop", "--target", url, "--databases", "2"),
        typed={f"Type {DATABASE}_1": f"{DATABASE}_1\n", f"Type {DATABASE}_2": f"{DATABASE}_2\n"},
    )
    assert code == 0
    assert f"dropped database '{DATABASE}_1' with its store" in shown
    assert f"dropped database '{DATABASE}_2' with its store" in shown


def test_nothing_is_dropped_until_every_name_was_typed(url: str, spindle: Spindle) -> None:
    spindle("build", "--target", url, "--databases", "2", "--db-size", "1MB")
    code, shown = in_terminal(
        *("drop", "--target", url, "--databases", "2"),
        typed={f"Type {DATABASE}_1": f"{DATABASE}_1\n", f"Type {DATABASE}_2": "no\n"},
    )
    assert code == 2
    assert "nothing was dropped" in shown
    assert spindle("verify", "--target", url, "--databases", "2").code == 0


def test_ctrl_c_cancels_a_build(url: str, spindle: Spindle) -> None:
    code, shown = in_terminal("build", "--target", url, "--db-size", "200MB", typed={"loading": "\x03"}, columns=80)
    assert code == 130
    assert shown.rstrip().endswith(f"spindle: Cancelled; database '{DATABASE}' does not exist.")
    outcome = spindle("run", "--target", url)
    assert outcome.code == 1


def test_cancelled_replacement_keeps_the_old_store(url: str, spindle: Spindle) -> None:
    spindle("build", "--target", url, "--db-size", "1MB")
    code, shown = in_terminal(
        "build", "--target", url, "--db-size", "200MB", "--replace", typed={"loading": "\x03"}, columns=80
    )
    assert code == 130
    assert shown.rstrip().endswith(f"spindle: Cancelled; database '{DATABASE}' still holds its 1MB store.")
    assert f"{DATABASE}: 1MB, seed 1, as built" in spindle("verify", "--target", url).out


def test_a_store_can_be_deleted_first_by_its_name(url: str, spindle: Spindle) -> None:
    spindle("build", "--target", url, "--db-size", "1MB")
    wrong = spindle("build", "--target", url, "--db-size", "2MB", "--replace", "--delete-first", "another")
    assert (wrong.code, "--delete-first is 'another'" in wrong.err) == (2, True)
    without = spindle("build", "--target", url, "--db-size", "2MB", "--delete-first", DATABASE)
    assert (without.code, "add --replace" in without.err) == (1, True)
    code, shown = in_terminal(
        *("build", "--target", url, "--db-size", "200MB", "--replace", "--delete-first", DATABASE),
        typed={"loading": "\x03"},
        columns=120,
    )
    assert code == 130
    assert f"Cancelled; the earlier store was deleted before, database '{DATABASE}' does not exist." in shown


def test_replacement_without_space_asks_for_deletion(url: str, spindle: Spindle) -> None:
    spindle("build", "--target", url, "--db-size", "1MB")
    arguments = ("build", "--target", url, "--db-size", "1MB", "--replace")
    command = (sys.executable, "-c", _WITHOUT_ROOM)
    refused = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert refused.returncode == 2
    there = f"Database '{DATABASE}' on 127.0.0.1 holds a 1MB store. There is no room to build the new one beside it"
    assert there in refused.stderr
    assert f"To delete it first, add: --delete-first {DATABASE}" in refused.stderr
    asked = f"Type {DATABASE} to delete it first"
    code, shown = in_terminal(*arguments, typed={asked: "no\n"}, command=command, columns=400)
    assert (code, "nothing was deleted" in shown) == (2, True)
    code, shown = in_terminal(*arguments, typed={asked: f"{DATABASE}\n"}, command=command, columns=400)
    assert code == 0
    assert f"{DATABASE}: 1MB, " in shown


def test_leased_store_is_refused_and_its_lease_can_be_broken(
    url: str, spindle: Spindle, embedded_server: EmbeddedServer
) -> None:
    spindle("build", "--target", url, "--db-size", "1MB")
    target, _ = Target.parse(url)
    store = store_at(target, embedded_server.secret, Timeouts())
    claim = Claim(purpose="run 'R630'", program="Spindle window", user_name="anna", host_name="lab-ws2", process_id=7)
    lease = StoreLease(store, claim, "the store", notify=print)
    with taken(Leases([lease])):
        who = "by anna@lab-ws2 (run 'R630', Spindle window, process 7)"
        for command in (["reset"], ["drop", "--yes"], ["build", "--replace"], ["run", "--minutes", "0.01"]):
            refused = spindle(*command, "--target", url)
            assert refused.code == 1, command
            assert f"spindle: Database '{DATABASE}' on 127.0.0.1 is in use since " in refused.err
            assert who in refused.err
        verified = spindle("verify", "--target", url)
        assert verified.code == 0
        assert who in verified.out
        broken = spindle("reset", "--target", url, "--break-lease")
        assert broken.code == 0
        assert f"was in use {who}; that lease was broken." in broken.err
