import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.analysis.series.blocks import ErrorCount
from engine.analysis.series.rates import FIELDS, Series
from engine.errors import Cancelled, UserError
from engine.library.hours import ClientHour, hour_of
from engine.library.library import Library
from tests.doubles.samples import without_steps
from tests.engine.library.examples import SAMPLES, a_finished_record, a_record, some_samples
from tests.engine.library.older_versions import columns_instead_of_transactions
from tests.engine.library.rows_left import keep_rows, rows_left

OVER_AN_HOUR = some_samples(clients=2, seconds=20, first=3_590)
PACK_AND_DIE = """
import os, signal, sys
from pathlib import Path
from engine.library import stored_samples
from engine.library.library import Library
whole, left = stored_samples.insert_block, [int(sys.argv[3])]
def insert_and_die(*arguments):
    whole(*arguments)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
stored_samples.insert_block = insert_and_die
with Library.open(Path(sys.argv[1]), notify=print) as library:
    library.packer.pack(sys.argv[2])
"""


def by_place(samples):
    return sorted(samples, key=lambda sample: (sample.client, sample.second))


def hours_of(samples):
    return {hour_of(sample.client, sample.second) for sample in samples}


def assert_same(series, other):
    assert series.seconds == other.seconds
    for client in (1, 2, 3):
        assert series.known(client).tolist() == other.known(client).tolist()
        for field in FIELDS:
            assert series.count(field, client=client) == other.count(field, client=client), field


UNIQUE = st.lists(SAMPLES, max_size=12, unique_by=lambda sample: (sample.client, sample.second))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(UNIQUE, st.data())
def test_a_run_reads_the_same_unpacked_half_packed_and_packed(library, path, samples, data):
    hours = sorted(hours_of(samples))
    packed = data.draw(st.lists(st.sampled_from(hours), unique=True)) if hours else []
    late = data.draw(st.integers(0, len(samples)))
    record = a_finished_record()
    keep_rows(path, record, samples[late:], packed=packed, late=samples[:late])

    assert list(library.samples(record.run_id)) == by_place(samples)
    library.packer.pack(record.run_id)
    assert list(library.samples(record.run_id)) == by_place(samples)
    library.delete(record.run_id)
    library.bin.empty()


def test_packing_leaves_no_rows_and_packing_again_changes_nothing(library, path):
    record = a_finished_record()
    keep_rows(path, record, OVER_AN_HOUR)
    assert rows_left(path) == len(OVER_AN_HOUR)
    library.packer.pack_all()
    assert rows_left(path) == 0
    library.packer.pack_all()
    library.packer.pack(record.run_id)
    assert list(library.samples(record.run_id)) == OVER_AN_HOUR


def test_late_sample_is_merged_into_its_packed_hour(library, path):
    record = a_finished_record()
    late = [some_samples(seconds=1, first=50)[0], *some_samples(clients=1, seconds=2, first=9)]
    keep_rows(path, record, some_samples(seconds=10), packed=[ClientHour(1, 0)], late=late)
    expected = by_place({(each.client, each.second): each for each in (*some_samples(seconds=10), *late)}.values())
    assert list(library.samples(record.run_id)) == expected
    library.packer.pack(record.run_id)
    assert rows_left(path) == 0
    assert list(library.samples(record.run_id)) == expected


def test_only_runs_that_are_over_are_packed(library, path):
    keep_rows(path, a_record(), some_samples())
    library.packer.pack_all()
    assert rows_left(path) == 15


def test_packing_reports_progress_and_keeps_packed_hours_when_cancelled(library, path):
    for number in range(2):
        keep_rows(path, a_finished_record(after_seconds=60 * number), OVER_AN_HOUR)
    told = []
    with pytest.raises(Cancelled):
        library.packer.pack_all(on_progress=told.append, cancelled=lambda: len(told) == 5)
    assert told == pytest.approx([1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8])
    assert rows_left(path) == 30
    library.packer.pack_all(on_progress=told.append)
    assert told[-1] == 1
    assert rows_left(path) == 0
    for record in library.runs():
        assert list(library.samples(record.run_id)) == OVER_AN_HOUR


@pytest.mark.skipif(sys.platform == "win32", reason="nothing there dies of SIGKILL")
@pytest.mark.parametrize("blocks", [1, 3])
def test_nothing_is_lost_when_the_packing_process_is_killed(library, path, blocks):
    record = a_finished_record()
    keep_rows(path, record, OVER_AN_HOUR)
    command = [sys.executable, "-c", PACK_AND_DIE, str(path), record.run_id, str(blocks)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == -9, done.stderr
    assert rows_left(path) == len(OVER_AN_HOUR) - 10 * (blocks - 1)
    assert list(library.samples(record.run_id)) == OVER_AN_HOUR


@pytest.mark.parametrize("packed", [[], [ClientHour(1, 0), ClientHour(2, 1)], sorted(hours_of(OVER_AN_HOUR))])
def test_a_series_has_the_counts_of_all_samples(library, path, packed):
    record = a_finished_record()
    keep_rows(path, record, OVER_AN_HOUR, packed=packed)
    told = []
    series = library.series(record.run_id, on_progress=told.append)
    assert_same(series, Series.of(3, OVER_AN_HOUR))
    assert told == [0.25, 0.5, 0.75, 1]
    assert not series.known(1)[:3_590].any()


def test_opening_a_series_can_be_cancelled(library, path):
    record = a_finished_record()
    keep_rows(path, record, OVER_AN_HOUR)
    with pytest.raises(Cancelled):
        library.series(record.run_id, cancelled=lambda: True)


def test_a_run_without_samples_has_an_empty_series(library):
    record = a_finished_record()
    library.add_imported(record, [], [])
    assert library.series(record.run_id).seconds == 0
    assert list(library.histogram_blocks(record.run_id)) == []


@pytest.mark.parametrize("packed", [[], [ClientHour(1, 0), ClientHour(2, 1)], sorted(hours_of(OVER_AN_HOUR))])
def test_response_times_are_sorted_by_hour_then_client(library, path, packed):
    record = a_finished_record()
    keep_rows(path, record, OVER_AN_HOUR, packed=packed)
    blocks = list(library.histogram_blocks(record.run_id))
    assert [(block.client, int(block.seconds[0])) for block in blocks] == [
        (1, 3_590),
        (2, 3_590),
        (1, 3_600),
        (2, 3_600),
    ]
    packed_histograms = {(each.client, each.second): each.of("order").histogram for each in OVER_AN_HOUR}
    overdue = {(each.client, each.second): each.overdue for each in OVER_AN_HOUR}
    for block in blocks:
        for second in block.seconds.tolist():
            assert block.between(second, second + 1) == packed_histograms[block.client, second]
            assert block.overdue.between(second, second + 1) == overdue[block.client, second]


@pytest.mark.parametrize("packed", [[], [ClientHour(1, 0), ClientHour(2, 1)], sorted(hours_of(OVER_AN_HOUR))])
def test_errors_are_sorted_by_time_and_never_zero(library, path, packed):
    record = a_finished_record()
    keep_rows(path, record, OVER_AN_HOUR, packed=packed)
    assert library.errors_by_second(record.run_id) == [
        ErrorCount(client, second, "timeout", second) for second in range(3_591, 3_610, 4) for client in (1, 2)
    ]


def test_the_last_second_counts_when_it_is_packed(library, path):
    record = a_record()
    keep_rows(path, record, OVER_AN_HOUR, packed=hours_of(OVER_AN_HOUR))
    (swept,) = library.mark_interrupted()
    assert (swept.ended_at - swept.started_at).total_seconds() == 3_610


def test_slow_reader_survives_packing_and_removal(library, path):
    record = a_finished_record()
    keep_rows(path, record, OVER_AN_HOUR)
    samples = library.samples(record.run_id)
    assert next(samples) == OVER_AN_HOUR[0]
    with Library.open(path, notify=pytest.fail) as other:
        other.packer.pack_all()
    assert [next(samples) for _ in range(25)] == OVER_AN_HOUR[1:26]
    library.delete(record.run_id)
    with pytest.raises(UserError, match="is not in the library"):
        list(samples)


def test_a_library_of_rows_alone_reads_the_same_after_the_step_to_blocks(path):
    from engine.library.tables import metadata

    first = {"runs", "run_tags", "clients", "samples", "events"}
    without_overdue = [replace(without_steps(sample), overdue=None) for sample in OVER_AN_HOUR]
    with Library.open(path, notify=pytest.fail):
        record = a_finished_record()
        keep_rows(path, record, without_overdue)
    with closing(sqlite3.connect(path)) as connection:
        columns_instead_of_transactions(connection)
        for column in ("overdue", "steps"):
            connection.execute(f"ALTER TABLE samples DROP COLUMN {column}")
        for later in set(metadata.tables) - first:
            connection.execute(f"DROP TABLE {later}")
        for later in ("is_fault", "code", "data"):
            connection.execute(f"ALTER TABLE events DROP COLUMN {later}")
        connection.execute("ALTER TABLE runs DROP COLUMN audit")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.commit()
    with Library.open(path, notify=pytest.fail) as library:
        assert list(library.samples(record.run_id)) == without_overdue
        library.packer.pack_all()
        assert list(library.samples(record.run_id)) == without_overdue
    assert rows_left(path) == 0


def test_samples_after_is_none_once_packed(library, path):
    record = a_record(clients=2)
    samples = some_samples(clients=2, seconds=6)
    keep_rows(path, record, samples)
    expected = [each for each in samples if each.second > {1: 3, 2: -1}[each.client]]
    assert library.samples_after(record.run_id, {1: 3, 2: -1}) == expected
    assert library.samples_after(record.run_id, {1: 5, 2: 5}) == []
    keep_rows(path, finished := a_finished_record(after_seconds=60, clients=2), samples, packed=[hour_of(1, 0)])
    assert library.samples_after(finished.run_id, {1: 5, 2: 3}) == samples[-2:]
    assert library.samples_after(finished.run_id, {1: 4, 2: 3}) is None
