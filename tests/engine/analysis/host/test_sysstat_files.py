"""The files of sar, sadf and iostat: tables by their columns, days that end, and countries with commas."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from engine.analysis.host.samples import Samples
from engine.analysis.host.sysstat_files import is_iostat, is_sadf, is_sysstat_text, read_iostat, read_sadf, read_sar
from engine.errors import BadInput
from tests.engine.analysis.host_files import IOSTAT, SADF, SAR, read

EAST = timezone(timedelta(hours=1))
TEN = datetime(2026, 11, 20, 10, tzinfo=UTC).timestamp()
MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC).timestamp()


def test_sadf_one_table_after_another() -> None:
    samples = Samples()
    assert read_sadf(SADF, samples, source="", zone=EAST, near=None)
    assert read(samples) == {
        "CPU": [10, 20],
        "Disk transfers sda": [417.8, 12.6],
        "Disk utilisation sda": [54.68, 1.6],
        "Disk latency sda": [52.28, 2.62],
        "Disk queue sda": [21.85, 0.03],
        "Disk read throughput sda": pytest.approx([45.645824, 0.3309568]),
        "Disk write throughput sda": pytest.approx([0.5357568, 0]),
        "Network received eth0": [8.192],
        "Network sent eth0": [16.384],
    }
    cpu = samples.series()[0]
    assert (cpu.source, cpu.utc_seconds.tolist()) == ("dbhost", [TEN + 5, TEN + 10])
    assert samples.notes() == ()


def test_sadf_in_local_time_with_commas() -> None:
    samples = Samples()
    text = "# hostname;interval;timestamp;DEV;tps;%util\nh;599;2026-11-20 11-00-05;dev8-0;13,89;2,21\n"
    assert not read_sadf(text, samples, source="mail", zone=EAST, near=None)
    assert read(samples) == {"Disk transfers dev8-0": [13.89], "Disk utilisation dev8-0": [2.21]}
    assert (samples.series()[0].source, samples.series()[0].utc_seconds.tolist()) == ("mail", [TEN + 5])


def test_sadf_lines_that_are_cut_short_are_reported() -> None:
    samples = Samples()
    read_sadf(SADF + "dbhost;5;2026-11-20 10:00:15 UTC;eth0;1.0", samples, source="", zone=UTC, near=None)
    assert samples.notes() == ("Line 13 is cut short or of an unreadable time and left out.",)


def test_sadf_horizontal_format_is_rejected() -> None:
    with pytest.raises(BadInput, match="write it without -h"):
        read_sadf("# hostname;interval;timestamp;CPU;%user;%idle[...]\n", Samples(), source="", zone=UTC, near=None)


def test_sar_over_midnight() -> None:
    samples = Samples()
    assert not read_sar(SAR, samples, source="", zone=UTC, near=None)
    assert read(samples) == {
        "CPU": [pytest.approx(1.5), 50],
        "Disk transfers sda": [5, 7],
        "Disk utilisation sda": [50, 60],
        "Disk latency sda": [0.1, 0.1],
        "Disk queue sda": [0, 0],
        "Disk read throughput sda": pytest.approx([0.002048] * 2),
        "Disk write throughput sda": [0, 0],
    }
    assert [series.utc_seconds.tolist() for series in samples.series()] == [[MIDNIGHT - 1, MIDNIGHT + 1]] * 7
    assert samples.series()[0].source == "dbhost"


def test_sar_is_of_the_zone_given() -> None:
    samples = Samples()
    read_sar(SAR, samples, source="", zone=EAST, near=None)
    assert samples.series()[0].utc_seconds.tolist() == [MIDNIGHT - 3601, MIDNIGHT - 3599]


def test_sar_unreadable_date_names_the_remedy() -> None:
    with pytest.raises(BadInput, match="date '2026' can't be read"):
        read_sar(SAR.replace("11/20/2026", "2026"), Samples(), source="", zone=UTC, near=None)


def test_iostat_without_its_report_since_the_boot() -> None:
    samples = Samples()
    assert not read_iostat(IOSTAT, samples, source="", zone=UTC, near=None)
    assert read(samples) == {
        "CPU": [50],
        "Disk reads sda": [100],
        "Disk writes sda": [200.5],
        "Disk transfers sda": [300.5],
        "Disk utilisation sda": [30],
        "Disk queue sda": [0.7],
        "Disk read throughput sda": [pytest.approx(0.8192)],
        "Disk write throughput sda": [pytest.approx(1.6384)],
        "Disk reads nvme0n1": [5],
        "Disk writes nvme0n1": [0],
        "Disk transfers nvme0n1": [5],
        "Disk utilisation nvme0n1": [0.1],
        "Disk queue nvme0n1": [0],
        "Disk read throughput nvme0n1": [pytest.approx(0.008192)],
        "Disk write throughput nvme0n1": [0],
    }
    assert {series.utc_seconds.tolist()[0] for series in samples.series()} == {TEN + 2}


def test_iostat_without_times_is_rejected_with_the_remedy() -> None:
    text = "\n".join(line for line in IOSTAT.splitlines() if not line.startswith("20/11"))
    with pytest.raises(BadInput, match="run it with -t"):
        read_iostat(text, Samples(), source="", zone=UTC, near=None)


def test_iostat_that_was_cut_short_is_reported() -> None:
    samples = Samples()
    read_iostat(IOSTAT + "sdb   1,00", samples, source="", zone=UTC, near=None)
    assert samples.notes() == ("Line 17 is cut short and left out.",)


def test_sysstat_file_kinds_are_detected() -> None:
    assert [is_sadf(text) for text in (SADF, SAR, IOSTAT)] == [True, False, False]
    assert [is_sysstat_text(text) for text in (SADF, SAR, IOSTAT)] == [False, True, True]
    assert [is_iostat(text) for text in (SAR, IOSTAT)] == [False, True]
