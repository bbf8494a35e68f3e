"""Runs whose library's disk is full at their end: kept elsewhere, and taken in when there is room."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from engine.conduct.interrupted import Settled, settle_library
from engine.errors import UserError
from engine.faults.marks import new_mark
from engine.files import disk_space
from engine.files.disk_space import SPARE_VARIABLE, spare_name
from engine.library.library import Library
from engine.library.rescue import Rescue, import_into, import_rescue_file, remove_file, rescue_run, rescued_files
from engine.library.run_writer import RunWriter
from engine.library.totals import totals_of
from engine.record.record import Phases, RunRecord, RunState
from engine.telemetry.event import EventKind
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading, HostValue
from engine.telemetry.sample import ProbeSample
from tests.engine.library.examples import STARTED_AT, a_finished_record, a_record, some_events, some_samples
from tests.small_disk import SmallDisk, small_disk
from tests.waiting import wait_until

AFTER_RUN = {"db1": {"log used (MB)": "250"}}
PHASES = Phases(warming_up_from=1, measuring_from=2, measuring_to=4_000)
SAMPLES = some_samples(seconds=4_005)  # of two hours, so that some are packed already
PROBES = [ProbeSample(store=1, second=second, slots="w" * 10) for second in range(4_005)]


COLLECTOR = CollectorStatus(number=1, machine="db1", source="Linux over SSH", state=CollectorState.READING)
READINGS = [
    HostReading(
        collector=1,
        utc_seconds=STARTED_AT.timestamp() + second,
        values=(HostValue("", "CPU", "%", float(second % 100)),),
    )
    for second in range(4_005)
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", megabytes=16) as disk:
        yield disk


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder for rescued runs."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.setenv(SPARE_VARIABLE, str(folder))
    return folder


@dataclass
class Stopped:
    """A run that is over, of which its library has half."""

    library: Library
    record: RunRecord
    writer: RunWriter

    def rescue(self) -> Rescue:
        return rescue_run(self.library, self.record, self.writer.left_over, self._settle)

    def _settle(self, library: Library) -> None:
        run_id = self.record.run_id
        totals = totals_of(library, run_id, self.record.plan.client_plans(), PHASES)
        library.settle(run_id, totals=replace(totals, after_run=AFTER_RUN), phases=PHASES)


@pytest.fixture
def stopped(disk: SmallDisk) -> Iterator[Stopped]:
    with Library.open(disk.path / "home" / "library.sqlite", notify=pytest.fail) as library:
        record = a_record()
        told: list[str] = []
        writer = library.start_run(record, notify=told.append)
        begin = STARTED_AT + timedelta(seconds=3)
        writer.begin(begin)
        writer.set_state(RunState.MEASURING, Phases(warming_up_from=1, measuring_from=2))
        half = len(SAMPLES) // 2
        in_time = sorted(SAMPLES, key=lambda sample: (sample.second, sample.client))
        for sample in in_time[:half]:
            writer.write_sample(sample)
        for probe in PROBES[:2_000]:
            writer.write_probe(probe)
        writer.write_collector(COLLECTOR)
        for reading in READINGS[:2_000]:
            writer.write_host(reading)
        writer.write_event(some_events()[0])
        assert writer.flush(60)
        disk.fill()
        for sample in in_time[half:]:
            writer.write_sample(sample)
        for probe in PROBES[2_000:]:
            writer.write_probe(probe)
        for reading in READINGS[2_000:]:
            writer.write_host(reading)
        writer.write_collector(replace(COLLECTOR, state=CollectorState.ENDED, readings=4_005))
        for event in some_events()[1:]:
            writer.write_event(event)
        wait_until(lambda: told, "the trouble is told")
        writer.finish(
            RunState.COMPLETED, ended_at=begin + timedelta(seconds=4_005), totals=None, phases=PHASES, failure=""
        )
        assert not writer.close(0.5)
        yield Stopped(library, replace(record, started_at=begin), writer)


def check_whole(library: Library, record: RunRecord) -> RunRecord:
    """The run is in the library as if its disk had never been full."""
    found = library.run(record.run_id)
    assert (found.state, found.phases, found.started_at) == (RunState.COMPLETED, PHASES, record.started_at)
    assert found.ended_at == record.started_at + timedelta(seconds=4_005)
    assert list(library.samples(record.run_id)) == SAMPLES
    assert library.probes(record.run_id) == PROBES
    (measurement,) = library.host.of_run(record.run_id)
    assert list(measurement.series[0].values) == [reading.values[0].value for reading in READINGS]
    assert [(each.state, each.readings) for each in library.host.collectors(record.run_id)] == [("ended", 4_005)]
    assert library.events(record.run_id) == some_events()
    assert found.totals is not None
    totals = totals_of(library, record.run_id, record.plan.client_plans(), PHASES)
    assert found.totals == replace(totals, after_run=AFTER_RUN)
    return found


def test_rescued_run_is_stored_in_a_file_and_imported_later(stopped: Stopped, disk: SmallDisk, elsewhere: Path) -> None:
    with (rescue := stopped.rescue()).library as kept:
        assert rescue.is_whole
        record = check_whole(kept, stopped.record)
    assert rescue.path is not None
    assert [each.name for each in elsewhere.iterdir()] == [rescue.path.name]
    assert stat.S_IMODE(rescue.path.stat().st_mode) == 0o600
    assert f"it is kept in {rescue.path}" in rescue.sentence()
    assert rescued_files(stopped.library.path) == [rescue.path]
    assert rescued_files(disk.path / "another" / "library.sqlite") == []

    with pytest.raises(UserError, match="no space left"):
        import_rescue_file(stopped.library, rescue.path)
    disk.make_room()
    (taken,) = import_rescue_file(stopped.library, rescue.path)
    assert check_whole(stopped.library, stopped.record) == taken == record
    assert import_rescue_file(stopped.library, rescue.path) == [], "not a second time"
    remove_file(rescue.path)
    assert list(elsewhere.iterdir()) == []


def test_waiting_rescued_run_is_not_marked_interrupted(stopped: Stopped, disk: SmallDisk, elsewhere: Path) -> None:
    with (rescue := stopped.rescue()).library:
        pass
    run_id, library = stopped.record.run_id, stopped.library
    disk.make_room()
    library._set(run_id, owner_created=0.0)  # as if its process were gone
    disk.fill()
    settled = settle_library(library)
    assert settled == Settled(waiting={run_id: rescue.path})
    assert settled.sentences() == [f"run {run_id} is kept in {rescue.path} until the library has room for it."]
    assert library.run(run_id).state is RunState.MEASURING

    disk.make_room()
    settled = settle_library(library)
    assert [(record.run_id, path) for record, path in settled.taken] == [(run_id, rescue.path)]
    assert (settled.waiting, settled.interrupted) == ({}, ())
    assert settled.sentences() == [
        f"run {run_id} (), which was kept in {rescue.path} when the library had no room, is in the library now."
    ]
    assert settle_library(library) == Settled()


def test_run_is_rescued_in_memory_without_disk_space(
    stopped: Stopped, disk: SmallDisk, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_space, "spare_folders", lambda: [disk.path])
    with (rescue := stopped.rescue()).library as kept:
        assert rescue.path is None
        check_whole(kept, stopped.record)
        assert "nowhere else is room for it" in rescue.sentence()
        assert [each.name for each in disk.path.iterdir() if each.is_file()] == ["ballast"]
        disk.make_room()
        assert import_into(stopped.library, kept, stopped.record.run_id)
    check_whole(stopped.library, stopped.record)


def test_rescue_leaves_no_file_on_a_disk_that_fills_up(
    stopped: Stopped, elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "small", megabytes=1) as small:
        (small.path / "nearly").write_bytes(bytes(900_000))
        monkeypatch.setattr(disk_space, "why_unwritable", lambda _: "")
        monkeypatch.setattr(disk_space, "spare_folders", lambda: [small.path, elsewhere])
        with (rescue := stopped.rescue()).library:
            assert rescue.path is not None
            assert rescue.path.parent == elsewhere
        assert [each.name for each in small.path.iterdir()] == ["nearly"]


def test_run_of_a_deleted_library_is_rescued_from_the_backlog(stopped: Stopped, elsewhere: Path) -> None:
    stopped.library.close()
    for each in stopped.library.path.parent.glob("library.sqlite*"):
        each.unlink()
    with (rescue := stopped.rescue()).library as kept:
        assert not rescue.is_whole
        assert "nor be read" in rescue.sentence()
        found = kept.run(stopped.record.run_id)
        assert (found.state, found.started_at) == (RunState.COMPLETED, stopped.record.started_at)
        assert 0 < len(list(kept.samples(found.run_id))) < len(SAMPLES)
        assert found.totals is not None


def test_import_keeps_later_changes_in_the_library(stopped: Stopped, disk: SmallDisk, elsewhere: Path) -> None:
    with (rescue := stopped.rescue()).library:
        pass
    disk.make_room()
    library, run_id = stopped.library, stopped.record.run_id
    library.rename(run_id, "renamed meanwhile")
    library.add_tags(run_id, ["kept"])
    library._set(run_id, state=RunState.INTERRUPTED.value)
    mark = library.marks.put(run_id, new_mark("set meanwhile", 12.5))
    assert mark.number == some_events()[1].number
    assert rescue.path is not None
    (taken,) = import_rescue_file(library, rescue.path)
    assert (taken.state, taken.name, taken.tags) == (RunState.COMPLETED, "renamed meanwhile", ("kept",))
    found = library.events(run_id)
    assert [event for event in found if event.label != "set meanwhile"] == some_events()
    assert [event.kind for event in found if event.label == "set meanwhile"] == [EventKind.MARK]


@pytest.mark.parametrize("how", ["deleted", "over"])
def test_deleted_or_finished_run_is_not_imported(stopped: Stopped, disk: SmallDisk, elsewhere: Path, how: str) -> None:
    with (rescue := stopped.rescue()).library:
        pass
    disk.make_room()
    library, run_id = stopped.library, stopped.record.run_id
    if how == "over":
        library._set(run_id, state=RunState.STOPPED.value)
    else:
        library._set(run_id, state=RunState.INTERRUPTED.value)
        library.delete(run_id)
    assert rescue.path is not None
    assert import_rescue_file(library, rescue.path) == []


def test_rescued_run_can_be_imported_into_another_library(stopped: Stopped, elsewhere: Path, tmp_path: Path) -> None:
    with (rescue := stopped.rescue()).library:
        pass
    assert rescue.path is not None
    with Library.open(tmp_path / "other.sqlite", notify=pytest.fail) as other:
        other.add_imported(a_finished_record(after_seconds=60), [], [])
        import_rescue_file(other, rescue.path)
        check_whole(other, stopped.record)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links")
def test_link_and_other_files_are_not_imported(elsewhere: Path, tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    name = spare_name(tmp_path, "20261121-043017-abcd.sqlite")
    (elsewhere / "real").write_text("x")
    (elsewhere / name).symlink_to(elsewhere / "real")
    assert rescued_files(library) == []
    (elsewhere / name).unlink()
    (elsewhere / name).write_bytes(b"no library at all, but of that name")
    with Library.open(library, notify=pytest.fail) as opened, pytest.raises(UserError):
        import_rescue_file(opened, elsewhere / name)
