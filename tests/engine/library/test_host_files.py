import sqlite3
from contextlib import closing

import numpy as np
import pytest

from engine.analysis.host.series import HostSeries
from engine.errors import BadInput, UserError
from engine.library.library import Library
from tests.engine.library.examples import STARTED_AT, a_finished_record
from tests.engine.library.same_series import same_series

TIMES = STARTED_AT.timestamp() + np.array([0.0, 1.0, 2.0, 5.0])
CPU = HostSeries(
    source="r630", device="_Total", name="CPU", unit="%", utc_seconds=TIMES, values=np.array([1.0, np.nan, 3.0, 4.0])
)
WATTS = HostSeries(
    source="meter", device="", name="Power", unit="W", utc_seconds=TIMES + 0.25, values=np.array([9.0, 8.0, 7.0, 6.5])
)


@pytest.fixture
def run_id(library: Library) -> str:
    record = a_finished_record()
    library.add_imported(record, [], [])
    return record.run_id


def test_measurement_round_trip(library: Library, run_id: str, path, told) -> None:
    library.host.add(run_id, (CPU, WATTS), kind="sar", file_name="sar.csv", shift_seconds=90, note="rack 3")
    library.host.add(run_id, (WATTS,), kind="power meter", file_name="meter.csv")
    library.close()
    with Library.open(path, notify=told.append) as again:
        first, second = again.host.of_run(run_id)
    assert (first.number, first.kind, first.file_name, first.shift_seconds, first.note) == (
        *(1, "sar", "sar.csv", 90.0),
        "rack 3",
    )
    assert same_series(first.series[0], CPU)
    assert same_series(first.series[1], WATTS)
    assert (second.number, second.shift_seconds, second.note, len(second.series)) == (2, 0.0, "", 1)


def test_shift_replaces_the_earlier_shift_and_keeps_the_times(library: Library, run_id: str) -> None:
    library.host.add(run_id, (CPU,), kind="sar", file_name="sar.csv", shift_seconds=90)
    library.host.shift(run_id, 1, -5.5)
    library.host.set_note(run_id, 1, "rack 4")
    (found,) = library.host.of_run(run_id)
    assert (found.shift_seconds, found.note) == (-5.5, "rack 4")
    assert same_series(found.series[0], CPU)
    for impossible in (float("nan"), 1e9):
        with pytest.raises(BadInput, match="the shift is"):
            library.host.shift(run_id, 1, impossible)


def test_removed_measurement_has_no_columns_left(library: Library, run_id: str, path) -> None:
    for name in ("a.csv", "b.csv"):
        library.host.add(run_id, (CPU, WATTS), kind="sar", file_name=name)
    gone = library.host.remove(run_id, 1)
    assert (gone.file_name, len(gone.series)) == ("a.csv", 2)
    assert [each.number for each in library.host.of_run(run_id)] == [2]
    library.delete(run_id)
    library.bin.empty()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM host_columns").fetchone() == (0,)


def test_missing_or_empty_measurement_is_an_error(library: Library, run_id: str) -> None:
    with pytest.raises(BadInput, match=r"empty\.csv holds no counter"):
        library.host.add(run_id, (), kind="sar", file_name="empty.csv")
    with pytest.raises(UserError, match="run 'nothing' is not in the library"):
        library.host.add("nothing", (CPU,), kind="sar", file_name="sar.csv")
    for change in (library.host.remove, lambda *of: library.host.shift(*of, 1.0)):
        with pytest.raises(UserError, match=f"run '{run_id}' has no measurement 3; look it up"):
            change(run_id, 3)
    assert library.host.of_run(run_id) == []
