"""What a library and its ledgers should take is what they take."""

from pathlib import Path

import pytest

from engine.audit.ledger import NO_NUMBER, End, Ledger
from engine.library.library import Library
from tests.benchmarks.day_run import store_day_run
from tests.benchmarks.endurance_growth import bytes_per_sample, computed_ledgers, computed_library, stored_pages

CLIENTS = 2


def test_a_library_grows_by_what_is_stored(tmp_path: Path) -> None:
    Library.open(tmp_path / "empty.sqlite", notify=print).close()
    empty = stored_pages(tmp_path / "empty.sqlite").used
    two_hours = store_day_run(tmp_path, clients=CLIENTS, hours=2).path

    grown = stored_pages(two_hours).used - empty

    assert grown == pytest.approx(computed_library(two_hours), rel=0.05)
    assert bytes_per_sample(two_hours) == pytest.approx([grown / (2 * CLIENTS * 3600)] * 2, rel=0.05)


def test_ledger_grows_by_a_record_for_each_order_acknowledged_or_in_doubt(tmp_path: Path) -> None:
    for client in range(1, CLIENTS + 1):
        ledger = Ledger(str(tmp_path / "run" / f"{client}"), client)
        for order in range(1, 11):
            ledger.note(order, order, 1, 100)
        ledger.note(11, NO_NUMBER, 1, 100)
        assert ledger.close(12, End.COMPLETE) is None

    counted = {"orders": 24, "rollbacks": 4, "in_doubt": 2}
    assert sum(path.stat().st_size for path in tmp_path.glob("run/*")) == computed_ledgers("run", counted, CLIENTS)
