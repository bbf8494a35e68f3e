"""Reading ledgers: torn ones, other runs' ones, none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.audit.ledger import RECORD, packed_header
from engine.audit.ledger_reading import UnreadableLedger, read_ledger
from tests.engine.audit.ledgers import Record, write_ledger

ORDERS: list[Record] = [(number, 100 + number, 7, 1_999) for number in range(5)]
HEADER_BYTES = len(packed_header("a-run", 1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "a-run"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 5 * RECORD.size))
def test_a_torn_ledger_is_read_as_its_whole_records(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = write_ledger(tmp_path_factory.mktemp("a") / "a-run", ORDERS, complete=False)
    os.truncate(path, HEADER_BYTES + cut)

    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == ORDERS[: cut // RECORD.size]
    assert not content.is_complete


def test_a_client_that_is_killed_leaves_what_it_had_flushed(folder: Path) -> None:
    path = folder / "client-1.ledger"
    code = (
        "import os, signal, sys\n"
        "from engine.audit.ledger import Ledger\n"
        "ledger = Ledger(sys.argv[1], 1)\n"
        "ledger.note(5, 6, 7, 8)\n"
        "ledger.flush()\n"
        "ledger.note(6, 7, 8, 9)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], timeout=60, check=False)

    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == [(5, 6, 7, 8)]
    assert not content.is_complete
    assert content.last_moment_ms == 5


def test_the_moment_of_the_last_thing_noted(folder: Path) -> None:
    assert read_ledger(write_ledger(folder, []), "a-run", 1).last_moment_ms == 0
    mixed = write_ledger(folder, ORDERS, [(77, 0, 1, 1)], client=2)
    assert read_ledger(mixed, "a-run", 2).last_moment_ms == 77


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.unlink(), "there is none"),
        (lambda path: os.truncate(path, 0), "it is empty"),
        (lambda path: os.truncate(path, HEADER_BYTES - 1), "it is empty"),
        (lambda path: path.write_bytes(b"PGCOPY\n" * 20), "it is not an order ledger of Spindle"),
        (lambda path: path.write_bytes(b"SPINDLEL\x02" + bytes(100)), "it is of format 2"),
        (lambda path: path.write_bytes(packed_header("b-run", 1)), "it belongs to another run or client"),
        (lambda path: path.write_bytes(packed_header("a-run", 2)), "it belongs to another run or client"),
        (lambda path: (path.unlink(), path.mkdir()), "it can't be read: Is a directory"),
    ],
)
def test_what_is_no_ledger_of_this_client_says_why(folder: Path, damage: object, reason: str) -> None:
    path = write_ledger(folder, ORDERS)
    damage(path)  # type: ignore[operator]
    with pytest.raises(UnreadableLedger, match=reason):
        read_ledger(path, "a-run", 1)
