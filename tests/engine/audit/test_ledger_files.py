"""The places, the sizes and the removal of ledgers."""

from pathlib import Path

from engine.audit.ledger_files import ledger_bytes, ledger_path, remove_ledgers
from tests.engine.audit.ledgers import write_ledger


def test_removing_ledgers_affects_only_their_run(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    mine, neighbours = (ledger_path(library, run_id, 1) for run_id in ("a-run", "b-run"))
    for path in (mine, neighbours):
        write_ledger(path.parent, [(1, 2, 3, 4)])
    assert mine == tmp_path / "ledgers" / "a-run" / "client-1.ledger"
    assert ledger_bytes(library, "a-run") == mine.stat().st_size > 0

    remove_ledgers(library, "a-run")
    assert not mine.parent.exists()
    assert neighbours.exists()
    assert ledger_bytes(library, "a-run") == 0


def test_other_files_are_not_removed(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    path = ledger_path(library, "a-run", 1)
    write_ledger(path.parent, [])
    (path.parent / "notes.txt").write_text("mine")

    remove_ledgers(library, "a-run")
    assert [each.name for each in path.parent.iterdir()] == ["notes.txt"]
    remove_ledgers(library, "..")
    assert path.parent.exists()
