"""The performance monitor's CSV and esxtop's: counters by their paths, zones by their minutes, gaps as blanks."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest

from engine.analysis.host.performance_monitor import (
    MOST_OTHER_COUNTERS,
    is_esxtop,
    is_performance_monitor,
    read_performance_monitor,
)
from engine.analysis.host.samples import Samples
from engine.errors import BadInput
from tests.engine.analysis.host_files import TYPEPERF_END, counter, performance_monitor, read

CPU = counter("Processor(_Total)|% Processor Time")
DISK = "PhysicalDisk(1 E:)"
TIME = "11/20/2026 10:00:01.250"
UTC_TIME = datetime(2026, 11, 20, 15, 0, 1, 250_000, tzinfo=UTC).timestamp()


def taken(text: str, *, zone: timezone = UTC, source: str = "") -> Samples:
    samples = Samples()
    read_performance_monitor(text, samples, source=source, zone=zone)
    return samples


def test_the_known_counters_under_spindles_names() -> None:
    values = {
        "Processor(_Total)|% Processor Time": "42.5",
        "Processor(0)|% Processor Time": "99",
        f"{DISK}|Disk Reads/sec": "10",
        f"{DISK}|Disk Writes/sec": "20",
        f"{DISK}|Disk Transfers/sec": "30",
        f"{DISK}|% Disk Time": "250",
        f"{DISK}|% Idle Time": "30.5",
        "LogicalDisk(F:)|% Disk Time": "75",
        "Network Interface(Intel[R] X710)|Bytes Total/sec": "125000000",
        "Memory|Pages/sec": "7",
        f"{DISK}|Avg. Disk sec/Read": "0.0034",
        f"{DISK}|Avg. Disk sec/Write": "0.0005",
        f"{DISK}|Avg. Disk sec/Transfer": "0.002",
        f"{DISK}|Avg. Disk Queue Length": "1.5",
        f"{DISK}|Current Disk Queue Length": "2",
        f"{DISK}|Disk Read Bytes/sec": "6500000",
        "Memory|Available Bytes": "1048576",
    }
    samples = taken(performance_monitor([counter(path) for path in values], [[TIME, *values.values()]]))
    assert read(samples) == {
        "CPU": [42.5],
        "Disk reads 1 E:": [10],
        "Disk writes 1 E:": [20],
        "Disk transfers 1 E:": [30],
        "Disk utilisation 1 E:": [69.5],
        "Disk utilisation F:": [75],
        "Network Intel[R] X710": [1_000],
        "Memory: Pages/sec": [7],
        "Disk read latency 1 E:": [pytest.approx(3.4)],
        "Disk write latency 1 E:": [pytest.approx(0.5)],
        "Disk latency 1 E:": [pytest.approx(2)],
        "Disk queue 1 E:": [1.5],
        "PhysicalDisk: Current Disk Queue Length 1 E:": [2],
        "Disk read throughput 1 E:": [pytest.approx(6.5)],
        "Memory: Available Bytes": [1],
    }
    assert {series.source for series in samples.series()} == {"SQL1"}
    units = {series.name: series.unit for series in samples.series()}
    assert units["Memory: Pages/sec"] == "1/s"
    assert units["Disk read latency"] == units["Disk latency"] == "ms"
    assert (units["Disk queue"], units["Memory: Available Bytes"]) == ("count", "MB")


def test_the_header_tells_the_zone() -> None:
    (series,) = taken(performance_monitor([CPU], [[TIME, "1"]])).series()
    assert series.utc_seconds.tolist() == [UTC_TIME]


def test_a_file_without_a_zone_is_of_the_one_given() -> None:
    text = performance_monitor([CPU], [[TIME, "1"]], zone="")
    zone = timezone(timedelta(hours=-5))
    (series,) = taken(text, zone=zone).series()
    assert series.utc_seconds.tolist() == [UTC_TIME]
    assert not read_performance_monitor(text, Samples(), source="", zone=zone)


def test_invalid_counter_values_are_missing() -> None:
    rows = [[f"11/20/2026 10:00:0{second}.000", value] for second, value in enumerate(("1,5", " ", "-1", "x", "2,5"))]
    samples = taken(performance_monitor([CPU], rows))
    assert read(samples)["CPU"] == pytest.approx([1.5, math.nan, math.nan, math.nan, 2.5], nan_ok=True)
    assert samples.notes() == ("Line 5 is with a value that is not a number, which counts as missing.",)


def test_typeperf_messages_are_not_rows() -> None:
    samples = taken("\r\n" + performance_monitor([CPU], [[TIME, "1"]]) + TYPEPERF_END)
    assert read(samples) == {"CPU": [1]}
    assert samples.notes() == ()


def test_truncated_lines_are_skipped_and_reported() -> None:
    text = performance_monitor([CPU, counter("Memory|Pages/sec")], [[TIME, "1", "2"], ["13/45/2026 1", "1", "2"]])
    samples = taken(text + '"11/20/2026 10:00:02.250","3')
    assert read(samples)["CPU"] == [1]
    assert samples.notes() == ("Line 3 is of an unreadable time and left out.", "Line 4 is cut short and left out.")


def test_semicolons_and_tabs_are_delimiters() -> None:
    text = performance_monitor([CPU], [[TIME, "1,5"]])
    assert read(taken(text.replace('","', '";"'))) == {"CPU": [1.5]}
    assert read(taken(text.replace('","', '"\t"').replace("PDH-CSV", "PDH-TSV"))) == {"CPU": [1.5]}


def test_esxtop_in_utc() -> None:
    values = {
        "Physical Cpu(_Total)|% Util Time": "55.1",
        "Physical Cpu(_Total)|% Processor Time": "50",
        "Physical Cpu(0)|% Util Time": "60",
        "Physical Disk SCSI Device(naa.600)|Commands/sec": "30",
        "Physical Disk SCSI Device(naa.600)|Reads/sec": "10",
        "Physical Disk SCSI Device(naa.600)|Writes/sec": "20",
        "Network Port(vSwitch0:33554434:vmnic0)|MBits Received/sec": "9.5",
        "Network Port(vSwitch0:33554434:vmnic0)|MBits Transmitted/sec": "8.5",
        **{f"Group Cpu({number}:vm (test))|% Used": "1" for number in range(MOST_OTHER_COUNTERS)},
    }
    text = performance_monitor([counter(path) for path in values], [[TIME, *values.values()]], zone=" (UTC)(0)")
    samples = taken(text, source="esx1")
    assert is_esxtop(text)
    assert read(samples) == {
        "CPU": [55.1],
        "Disk transfers naa.600": [30],
        "Disk reads naa.600": [10],
        "Disk writes naa.600": [20],
        "Network received vSwitch0:33554434:vmnic0": [9.5],
        "Network sent vSwitch0:33554434:vmnic0": [8.5],
    }
    assert {series.source for series in samples.series()} == {"esx1"}


def test_other_forms_are_not_recognised_or_refused() -> None:
    assert not is_performance_monitor("time,watts\n")
    with pytest.raises(BadInput, match="names no counter in its first line"):
        taken(performance_monitor(["hello"], []))
    with pytest.raises(BadInput, match="first line of another form"):
        taken('"(PDH-CSV 9.9)","x"\n')
