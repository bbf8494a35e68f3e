import itertools
import logging
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool

from engine.library import run_writer
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import STARTED_AT, a_record, some_events, some_samples
from tests.totals import totals_with
from tests.waiting import wait_until

PHASES = Phases(warming_up_from=1, measuring_from=2, measuring_to=5)


@pytest.fixture
def running():
    return a_record(tags=("nightly",))


def finish(writer):
    writer.finish(
        RunState.COMPLETED,
        ended_at=STARTED_AT + timedelta(seconds=9),
        totals=totals_with(opm=60),
        phases=PHASES,
        failure="",
    )


def test_run_is_stored_from_start_to_end(library, running, told):
    writer = library.start_run(running, notify=told.append)
    assert library.run("last") == running
    writer.set_state(RunState.MEASURING, Phases(warming_up_from=1, measuring_from=2))
    for sample in some_samples():
        writer.write_sample(sample)
    for each in some_events():
        writer.write_event(each)
    wait_until(lambda: writer.durable == 18, "samples and events to be durable while the run goes on")
    measuring = library.run("last")
    assert (measuring.state, measuring.phases.measuring_from) == (RunState.MEASURING, 2)
    finish(writer)
    assert writer.close(60)
    ended = library.run("last")
    assert (ended.state, ended.phases, ended.totals) == (RunState.COMPLETED, PHASES, totals_with(opm=60))
    assert ended.ended_at == STARTED_AT + timedelta(seconds=9)
    assert list(library.samples(running.run_id)) == some_samples()
    assert library.events(running.run_id) == some_events()
    assert told == []


def test_items_after_close_are_ignored(library, running, told):
    writer = library.start_run(running, notify=told.append)
    writer.write_sample(dvd_sample(client=1, second=1))
    assert writer.close(60)
    writer.write_sample(dvd_sample(client=1, second=2))
    assert writer.close(60)
    assert [sample.second for sample in library.samples(running.run_id)] == [1]


@contextmanager
def locked(path):
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def full_disk(path):
    """No connection may make the file larger than it is now."""
    limits = {"pages": 1}

    def limit(connection, _record, _proxy):
        connection.execute(f"PRAGMA max_page_count = {limits['pages']}")

    event.listen(Pool, "checkout", limit)
    try:
        yield
        size = size_of(path)
        limits["pages"] = 1_000_000_000
        wait_until(lambda: size_of(path) > size, "the file to grow again")
    finally:
        event.remove(Pool, "checkout", limit)


def size_of(path):
    return path.stat().st_size + path.with_name(path.name + "-wal").stat().st_size


@pytest.mark.parametrize(("trouble", "said"), [(locked, "locked by another program"), (full_disk, "no space left")])
def test_nothing_is_lost_while_the_library_fails(library, path, running, told, trouble, said):
    samples = some_samples(seconds=200)
    writer = library.start_run(running, notify=told.append)
    with trouble(path):
        for sample in samples[:300]:
            writer.write_sample(sample)
        wait_until(lambda: told, "the trouble to be told")
        for sample in samples[300:]:
            writer.write_sample(sample)
        assert writer.durable == 0
    finish(writer)
    assert writer.close(60)
    assert list(library.samples(running.run_id)) == samples
    assert library.run("last").state is RunState.COMPLETED
    assert len(told) == 2
    assert said in told[0]
    assert told[1] == "the library is written again; nothing was lost."


def test_the_queue_of_a_writer_that_hangs_is_bounded_and_keeps_every_event(library, path, running, monkeypatch):
    monkeypatch.setattr(run_writer, "MOST_QUEUED", 10)
    hangs, may_continue = threading.Event(), threading.Event()

    def hang(_):
        hangs.set()
        may_continue.wait()

    samples = some_samples(seconds=100)
    writer = library.start_run(running, notify=hang)
    with locked(path):
        writer.write_sample(samples[0])
        assert hangs.wait(timeout=60)
    for sample in samples[1:]:
        writer.write_sample(sample)
    writer.write_event(RunEvent(at_seconds=0.5, kind=EventKind.MARK, label="after all", number=1))
    may_continue.set()

    assert not writer.close(60), "samples were dropped"
    assert list(library.samples(running.run_id)) == samples[:12]
    assert [each.label for each in library.events(running.run_id)] == ["after all"]


def test_notify_callback_may_write_events(library, path, running):
    told = threading.Event()
    numbers = itertools.count(2)

    def note(text):
        told.set()
        writer.write_event(RunEvent(at_seconds=1.0, kind=EventKind.LIBRARY, label=text, number=next(numbers)))

    writer = library.start_run(running, notify=note)
    with locked(path):
        writer.write_event(RunEvent(at_seconds=0.5, kind=EventKind.MARK, label="before", number=1))
        assert told.wait(timeout=60)
    wait_until(lambda: writer.durable == 3, "the mark and both words about the trouble to be durable")
    assert writer.close(60)
    labels = [event.label for event in library.events(running.run_id)]
    assert labels[0] == "before"
    assert "locked by another program" in labels[1]
    assert labels[2] == "the library is written again; nothing was lost."


def test_event_is_replaced_and_removed_by_number(library, running, told):
    phase, mark, lost = some_events()
    writer = library.start_run(running, notify=told.append)
    for each in (phase, mark, lost):
        writer.write_event(each)
    writer.write_event(replace(mark, label="renamed"))
    writer.remove_event(lost.number)
    assert writer.flush(60)
    assert library.events(running.run_id) == [phase, replace(mark, label="renamed")]
    writer.remove_event(mark.number)
    writer.write_event(replace(mark, label="put back"))
    writer.write_event(lost)
    writer.remove_event(phase.number)
    writer.remove_event(99)
    assert writer.flush(60)
    assert library.events(running.run_id) == [replace(mark, label="put back"), lost]
    assert writer.close(60)
    assert told == []


def test_an_event_without_a_number_is_refused_and_replaces_none(library, running, told, caplog):
    writer = library.start_run(running, notify=told.append)
    with caplog.at_level(logging.CRITICAL, logger="engine.library.run_writer"):
        for each in (*some_events(), RunEvent(at_seconds=1.0, kind=EventKind.MARK, label="unnumbered")):
            writer.write_event(each)
        assert not writer.close(60)
    assert library.events(running.run_id) == some_events()
    assert "refused a RunEvent of this run" in told[0]


def test_flush_waits_until_what_was_written_can_be_read(library, path, running, told):
    writer = library.start_run(running, notify=told.append)
    for sample in some_samples():
        writer.write_sample(sample)
    assert writer.flush(60)
    assert list(library.samples(running.run_id)) == some_samples()
    with locked(path):
        writer.write_sample(dvd_sample(client=1, second=99))
        assert not writer.flush(0.05)
    assert writer.flush(60)
    assert [sample.second for sample in library.samples(running.run_id)].count(99) == 1
    assert writer.close(60)


def test_a_run_begins_at_the_moment_of_its_second_0(library, running, told):
    writer = library.start_run(running, notify=told.append)
    ready = STARTED_AT + timedelta(seconds=3)
    writer.begin(ready)
    assert writer.close(60)
    assert library.run(running.run_id).started_at == ready


def wait_until_the_writer_has_ended():
    wait_until(
        lambda: "library-writer" not in [thread.name for thread in threading.enumerate()], "the attempt to be over"
    )


def test_close_returns_false_at_its_deadline(library, path, running, told):
    writer = library.start_run(running, notify=told.append)
    with locked(path):
        writer.write_sample(dvd_sample(client=1, second=1))
        assert not writer.close(0.2)
        wait_until_the_writer_has_ended()
    assert not writer.close(0)
    assert list(library.samples(running.run_id)) == []


def test_an_attempt_that_outlasts_close_writes_nothing_of_what_is_left_over(library, path, running, told, monkeypatch):
    attempts = threading.Event()
    monkeypatch.setattr(run_writer, "BUSY_SECONDS", 0.0)  # close does not wait for the attempt
    monkeypatch.setattr(run_writer, "write_transaction", _announced(run_writer.write_transaction, attempts))
    writer = library.start_run(running, notify=told.append)
    sample = dvd_sample(client=1, second=1)
    with locked(path):
        writer.write_sample(sample)
        assert attempts.wait(60)
        assert not writer.close(0)
    wait_until_the_writer_has_ended()
    assert list(library.samples(running.run_id)) == []
    assert list(writer.left_over()) == [[sample]]


def _announced(write_transaction, attempts):
    def announced(engine):
        attempts.set()
        return write_transaction(engine)

    return announced


def test_rejected_item_does_not_lose_others(library, running, told, caplog):
    writer = library.start_run(running, notify=told.append)
    good = some_samples()
    nobody = dvd_sample(client=99, second=0)
    for sample in (*good[:7], nobody, *good[7:]):
        writer.write_sample(sample)
    with caplog.at_level(logging.CRITICAL, logger="engine.library.run_writer"):
        assert not writer.close(60)
    assert list(library.samples(running.run_id)) == good
    assert len(told) == 1
    assert "refused a Sample of this run" in told[0]


def test_error_in_notify_does_not_stop_the_writer(library, path, running, caplog):
    def fails(text):
        raise KeyError(text)

    with caplog.at_level(logging.CRITICAL, logger="engine.library.run_writer"):
        writer = library.start_run(running, notify=fails)
        writer.write_sample(dvd_sample(client=99, second=0))
        writer.write_sample(dvd_sample(client=1, second=0))
        assert not writer.close(60)
    assert [sample.client for sample in library.samples(running.run_id)] == [1]


@pytest.fixture
def start_writing(path):
    """Starts a process that keeps a run, and gives it with the run's id; it is killed in the end."""
    processes = []

    def start():
        command = [sys.executable, "-m", "tests.engine.library.writing_process", str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in processes:
        process.kill()
        with process:
            process.wait(timeout=60)


def when(sample):
    return sample.second, sample.client


def test_killed_run_keeps_durable_samples_and_a_live_run_is_not_changed(library, start_writing):
    living, living_id = start_writing()
    killed, killed_id = start_writing()
    first = next(killed.stdout)
    assert int(next(living.stdout)) > 0
    assert library.mark_interrupted() == []
    killed.kill()
    durable = int([first, *killed.stdout][-1])
    killed.wait(timeout=60)

    (swept,) = library.mark_interrupted()
    kept = list(library.samples(killed_id))
    seconds = max(sample.second for sample in kept) + 1
    assert (swept.run_id, swept.state) == (killed_id, RunState.INTERRUPTED)
    assert swept.ended_at == swept.started_at + timedelta(seconds=seconds)
    assert len(kept) >= durable > 0
    in_order = sorted(kept, key=when)
    assert in_order == sorted(some_samples(seconds=seconds), key=when)[: len(kept)]
    assert library.run(living_id).state is RunState.MEASURING
    assert living.poll() is None
    assert library.mark_interrupted() == []


def test_a_run_that_died_before_its_first_sample_ends_when_it_began(library, running, path, told):
    writer = library.start_run(running, notify=told.append)
    assert writer.close(60)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE runs SET owner_created = owner_created - 3600")
        connection.commit()
    (swept,) = library.mark_interrupted()
    assert (swept.state, swept.ended_at) == (RunState.INTERRUPTED, running.started_at)
