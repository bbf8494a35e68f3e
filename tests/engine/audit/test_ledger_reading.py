"""Reading ledgers: torn ones, other runs' ones, none."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.audit.ledger import RECORD, End, packed_header
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
    path = write_ledger(tmp_path_factory.mktemp("a") / "a-run", ORDERS, end=None)
    os.truncate(path, HEADER_BYTES + cut)

    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == ORDERS[: cut // RECORD.size]
    assert (content.end, content.torn) == (None, 0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 5 * RECORD.size - 1), room=st.integers(0, 3 * RECORD.size))
def test_torn_record_is_not_read(tmp_path_factory: pytest.TempPathFactory, cut: int, room: int) -> None:
    path = write_ledger(tmp_path_factory.mktemp("a") / "a-run", ORDERS, end=None)
    whole = path.read_bytes()[: HEADER_BYTES + cut]
    path.write_bytes(whole.ljust(HEADER_BYTES + 5 * RECORD.size + room, b"\0"))

    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == ORDERS[: cut // RECORD.size]
    assert (content.end, content.torn) == (None, int(any(whole[HEADER_BYTES + cut // RECORD.size * RECORD.size :])))


def test_corrupt_record_is_skipped(folder: Path) -> None:
    path = write_ledger(folder, ORDERS)
    changed = bytearray(path.read_bytes())
    changed[HEADER_BYTES + 2 * RECORD.size + 9] ^= 1
    path.write_bytes(changed)
    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == [*ORDERS[:2], *ORDERS[3:]]
    assert (content.is_complete, content.torn) == (True, 1)


def test_a_ledger_of_an_earlier_spindle_is_read(folder: Path) -> None:
    folder.mkdir()
    path = folder / "client-1.ledger"
    header = bytearray(packed_header("a-run", 1))
    header[8] = 1
    old = struct.Struct("<QIII")
    records = [*ORDERS, (6, 0, 7, 100), (8, 0, 0, 0)]
    path.write_bytes(header + b"".join(old.pack(*each) for each in records))
    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == ORDERS
    assert content.in_doubt.tolist() == [(6, 0, 7, 100)]
    assert (content.end, content.has_room) == (End.COMPLETE, False)
    path.write_bytes(header + b"".join(old.pack(*each) for each in ORDERS) + b"torn")
    assert read_ledger(path, "a-run", 1).end is None


@pytest.mark.parametrize("can_map", [True, False])
def test_killed_client_leaves_all_records_in_a_mapped_ledger(folder: Path, *, can_map: bool) -> None:
    if can_map and not hasattr(os, "posix_fallocate"):
        pytest.skip("room in a file can't be allocated beforehand")
    path = folder / "client-1.ledger"
    code = (
        "import os, signal, sys\n"
        "from engine.audit.ledger import Ledger\n"
        "ledger = Ledger(sys.argv[1], 1)\n"
        f"ledger._maps = {can_map}\n"
        "ledger.note(5, 6, 7, 8)\n"
        "ledger.flush()\n"
        "ledger.note(6, 7, 8, 9)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], timeout=60, check=False)

    content = read_ledger(path, "a-run", 1)
    assert content.acknowledged.tolist() == [(5, 6, 7, 8), (6, 7, 8, 9)][: 1 + can_map]
    assert (content.end, content.has_room, content.torn) == (None, can_map, 0)
    assert content.last_moment_ms == 5 + can_map


def test_last_noted_moment_is_known(folder: Path) -> None:
    assert read_ledger(write_ledger(folder, []), "a-run", 1).last_moment_ms == 0
    mixed = write_ledger(folder, ORDERS, [(77, 0, 1, 1)], client=2)
    assert read_ledger(mixed, "a-run", 2).last_moment_ms == 77


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.unlink(), "there is none"),
        (lambda path: os.truncate(path, 0), "it is empty"),
        (lambda path: os.truncate(path, HEADER_BYTES - 1), "it is empty"),
        (lambda path: path.write_bytes(b"PGCOPY\n" * 20), "it is not a ledger of Spindle"),
        (lambda path: path.write_bytes(bytes(100)), "it is empty"),
        (lambda path: path.write_bytes(b"SPINDLEL\x03" + bytes(100)), "it is of format 3"),
        (lambda path: path.write_bytes(packed_header("b-run", 1)), "it belongs to another run or client"),
        (lambda path: path.write_bytes(packed_header("a-run", 2)), "it belongs to another run or client"),
        (lambda path: (path.unlink(), path.mkdir()), "it can't be read: Is a directory"),
    ],
)
def test_other_files_are_rejected_with_a_reason(folder: Path, damage: object, reason: str) -> None:
    path = write_ledger(folder, ORDERS)
    damage(path)  # type: ignore[operator]
    with pytest.raises(UnreadableLedger, match=reason):
        read_ledger(path, "a-run", 1)
