import logging

import pytest

from engine.errors import UserError
from engine.library import stored_samples
from engine.library.connecting import connect
from engine.library.hour_packer import HourPacker
from engine.library.hours import ClientHour, hour_of
from engine.record.record import RunState
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import STARTED_AT, a_record, some_samples
from tests.engine.library.rows_left import keep_rows, rows_left
from tests.waiting import wait_until

SAMPLES = some_samples(clients=2, seconds=20, first=3_590)


@pytest.fixture
def packer(library, path):
    key = keep_rows(path, a_record(), SAMPLES)
    engine = connect(path)
    yield HourPacker(engine, key)
    engine.dispose()


def test_hours_are_adjacent():
    assert (ClientHour(1, 2).first, ClientHour(1, 2).end) == (7_200, 10_800)
    assert [hour_of(1, second).number for second in (0, 3_599, 3_600, 7_199, 7_200)] == [0, 0, 1, 1, 2]


def test_an_hour_is_packed_a_minute_after_its_end_one_client_at_a_time(packer, path):
    packer.note(SAMPLES)
    packer.note([dvd_sample(client=1, second=3_659)])
    packer.pack_one()
    assert rows_left(path) == 40
    packer.note([dvd_sample(client=1, second=3_660)])
    packer.pack_one()
    assert rows_left(path) == 30
    packer.pack_one()
    packer.pack_one()
    assert rows_left(path) == 20


def test_pack_all_packs_everything_unless_cancelled(packer, path, library):
    packer.note(SAMPLES)
    answers = iter([False, True])
    packer.pack_all(lambda: next(answers))
    assert rows_left(path) == 30
    packer.pack_all(lambda: False)
    assert rows_left(path) == 0
    assert list(library.samples(library.run("last").run_id)) == SAMPLES


def test_failed_packing_is_repeated(packer, path, monkeypatch):
    def refuse(*_arguments):
        raise UserError("the library is locked by another program.")

    packer.note(SAMPLES)
    with monkeypatch.context() as patched:
        patched.setattr(stored_samples, "pack", refuse)
        packer.pack_all(lambda: False)
    assert rows_left(path) == 40
    packer.pack_all(lambda: False)
    assert rows_left(path) == 0


def test_bug_in_packing_leaves_the_rows(packer, path, library, caplog):
    refused = dvd_sample(client=1, second=3_601, orders=-1)
    keep_rows(path, a_record(after_seconds=1), [])
    key = keep_rows(path, a_record(after_seconds=2), [refused, *some_samples(clients=1, seconds=2)])
    engine = connect(path)
    packer = HourPacker(engine, key)
    packer.note([refused, *some_samples(clients=1, seconds=2)])
    with caplog.at_level(logging.CRITICAL, logger="engine.library.hour_packer"):
        packer.pack_all(lambda: False)
    engine.dispose()
    assert list(library.samples(library.run("last").run_id)) == [*some_samples(clients=1, seconds=2), refused]


def test_run_is_packed_hourly_and_completely_at_its_end(library, path, told):
    record = a_record()
    writer = library.start_run(record, notify=told.append)
    for sample in (*SAMPLES, *some_samples(clients=2, seconds=70, first=3_610)):
        writer.write_sample(sample)
    wait_until(lambda: writer.durable == 180 and rows_left(path) <= 170, "the first hour of a client to be packed")
    writer.finish(RunState.COMPLETED, ended_at=STARTED_AT, totals=None, phases=record.phases)
    assert writer.close(60)
    assert rows_left(path) == 0
    assert list(library.samples(record.run_id)) == some_samples(clients=2, seconds=90, first=3_590)
    assert told == []
