"""Readings of machines as the library stores them while a run goes on, and makes measurements of them."""

import math
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.series import HostSeries
from engine.library.host_readings import PackedReading, ReadingPacker
from engine.library.library import Library
from engine.library.live_measurements import note_of
from engine.record.record import Phases, RunState
from engine.telemetry.host import CollectorState, CollectorStatus, HostReading, HostValue
from tests.engine.library.examples import STARTED_AT, a_finished_record, a_record
from tests.engine.library.older_versions import turn_back
from tests.engine.library.same_series import same_series

STATUS = CollectorStatus(number=1, machine="db1", source="Linux over SSH", state=CollectorState.ENDED)
METER = CollectorStatus(
    number=2, machine="meter", source="Extech 380803", state=CollectorState.ENDED, interval_seconds=2.5, is_average=True
)
names = st.text(max_size=5)
values = st.lists(
    st.builds(HostValue, names, names, st.sampled_from(["%", "W"]), st.floats(allow_nan=False)), max_size=5
)


@given(readings=st.lists(values, max_size=8))
def test_packed_readings_have_all_values_and_no_others(readings: list[list[HostValue]]) -> None:
    packer = ReadingPacker()
    for number, of_one in enumerate(readings):
        packed = packer.packed(HostReading(collector=1, utc_seconds=1.5 + number, values=tuple(of_one)))
        assert packed.utc_us == 1_500_000 + 1_000_000 * number
        unpacked = dict(zip(packed.counters, np.frombuffer(packed.values).tolist(), strict=True))
        known = {counter: value for counter, value in unpacked.items() if not math.isnan(value)}
        assert known == {(each.device, each.name, each.unit): each.value for each in of_one}
        assert len(unpacked) <= 3 * len(known)


def test_counters_change_only_when_there_is_a_new_one_or_most_are_gone() -> None:
    packer, other = ReadingPacker(), ReadingPacker()

    def packed(*names: str) -> PackedReading:
        values = tuple(HostValue("sda", name, "ms", 1.0) for name in names)
        return packer.packed(HostReading(collector=1, utc_seconds=1.0, values=values))

    first = packed("a", "b", "c")
    assert packed("b", "c").counters is packed("c", "a").counters is first.counters
    more = packed("a", "d")
    assert [name for _, name, _ in more.counters] == ["a", "b", "c", "d"]
    assert more.digest != first.digest
    assert [name for _, name, _ in packed("d").counters] == ["d"]
    again = HostReading(collector=7, utc_seconds=1.0, values=tuple(HostValue("sda", n, "ms", 1.0) for n in "abc"))
    assert other.packed(again).digest == first.digest, "whoever packs it"


def test_an_imported_file_and_collectors_have_numbers_of_their_own(library: Library) -> None:
    record = a_record()
    writer = library.start_run(record, notify=pytest.fail)
    for status in (STATUS, METER):
        writer.write_collector(status)
    for second in range(3):
        for collector, name, unit in ((1, "CPU", "%"), (2, "Power", "W")):
            value = HostValue("", name, unit, float(second))
            moment = STARTED_AT.timestamp() + second
            writer.write_host(HostReading(collector=collector, utc_seconds=moment, values=(value,)))
    assert writer.flush(60)
    cpu = library.host.of_run(record.run_id)[0].series[0]
    library.host.add(record.run_id, (cpu,), kind="sar", file_name="sar.csv")
    before = library.host.of_run(record.run_id)
    assert [(each.number, each.kind, each.file_name) for each in before] == [
        *((1, "sar", "sar.csv"), (2, "live", "db1")),
        (3, "live", "meter"),
    ]

    writer.finish(RunState.STOPPED, ended_at=STARTED_AT + timedelta(seconds=3), totals=None, phases=Phases())
    assert writer.close(60)
    after = library.host.of_run(record.run_id)
    assert [(each.number, each.note) for each in after] == [(each.number, each.note) for each in before]
    assert all(same_series(new.series[0], old.series[0]) for new, old in zip(after, before, strict=True))
    assert library.host.collectors(record.run_id) == [STATUS, METER]
    library.host.remove(record.run_id, 2)
    assert [each.number for each in library.host.of_run(record.run_id)] == [1, 3]


def test_a_reading_without_its_collectors_state_is_kept_and_waits_for_it(library: Library) -> None:
    record = a_record()
    writer = library.start_run(record, notify=pytest.fail)
    writer.write_host(HostReading(collector=1, utc_seconds=1.0, values=(HostValue("", "CPU", "%", 1.0),)))
    assert writer.flush(60)
    assert library.host.of_run(record.run_id) == []
    writer.write_collector(STATUS)
    assert writer.flush(60)
    assert len(library.host.of_run(record.run_id)) == 1
    assert writer.close(60)


def test_the_note_tells_the_way_and_the_clock() -> None:
    assert note_of(METER) == "Extech 380803, every 2.5 s; its values are slow averages."
    ahead = replace(STATUS, offset_seconds=90.0123, offset_error_seconds=0.00042)
    assert note_of(ahead) == (
        "Linux over SSH, each second. Its clock was 90.0 s ahead of this workstation's (± 0.00042 s); the times are"
        " this workstation's."
    )
    drifting = replace(STATUS, offset_seconds=-0.5, offset_error_seconds=0.001, drift_ppm=-51.4)
    assert "0.500 s behind this workstation's (± 0.0010 s, changing by −51 millionths)" in note_of(drifting)


def test_a_library_of_before_has_its_imported_files_and_no_collectors(
    library: Library, path: Path, told: list[str]
) -> None:
    record = a_finished_record()
    library.add_imported(record, [], [])
    times = STARTED_AT.timestamp() + np.arange(3.0)
    cpu = HostSeries(source="db1", device="", name="CPU", unit="%", utc_seconds=times, values=np.ones(3))
    library.host.add(record.run_id, (cpu,), kind="sar", file_name="sar.csv")
    library.close()
    turn_back(path, "0010")
    with Library.open(path, notify=told.append) as again:
        (found,) = again.host.of_run(record.run_id)
        assert (found.kind, found.collector) == ("sar", None)
        assert same_series(found.series[0], cpu)
        assert again.host.collectors(record.run_id) == []
    assert told == []
