from collections.abc import Iterator

import psycopg
import pytest

from engine.lab.server import EmbeddedServer
from tests.app.calling import in_terminal
from tests.app.conftest import STORE, Spindle

DATABASE = "command_line_stores"


@pytest.fixture
def url(store: str, embedded_server: EmbeddedServer) -> Iterator[str]:
    """A place for stores that no other test uses, empty before and after."""
    yield store.replace(STORE, DATABASE)
    with psycopg.connect(store, password=embedded_server.secret.reveal(), autocommit=True) as connection:
        for name in (DATABASE, f"{DATABASE}_1", f"{DATABASE}_2"):
            connection.execute(f'DROP DATABASE IF EXISTS "{name}"')


def test_a_dry_run_tells_rows_and_bytes_at_once(spindle: Spindle) -> None:
    code, out, err = spindle("build", "--dry-run", "--db-size", "100GB")
    assert code == 0
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines()[1:]}
    assert (rows["customers"], rows["orders"], rows["products"]) == ("200,000,000", "120,000,000", "1,000,000")
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

    assert spindle("run", "--target", url, "--warmup", "0", "--minutes", "0.02", "--quiet").code == 0
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


def test_a_store_that_lost_rows_does_not_pass(url: str, spindle: Spindle, embedded_server: EmbeddedServer) -> None:
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
    code, shown = in_terminal("build", "--target", url, "--db-size", "20MB", typed={"loading": "\x03"}, columns=80)
    assert code == 130
    assert shown.rstrip().endswith("spindle: stopped.")
    outcome = spindle("run", "--target", url)
    assert outcome.code == 1
