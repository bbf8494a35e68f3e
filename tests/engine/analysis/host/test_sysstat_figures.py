"""The columns of sysstat's tools by their names, of old versions and new."""

import math

import pytest

from engine.analysis.host.sysstat_figures import device_column, device_of, figures_of, has_figures
from engine.telemetry.host_figure import HostFigure


def test_a_processor_that_waits_for_disks_is_idle() -> None:
    values = {"%user": 5.0, "%system": 4.0, "%iowait": 11.0, "%idle": 80.0}
    assert figures_of(values) == {HostFigure.CPU: pytest.approx(9)}
    assert figures_of({"%idle": 80.0}) == {HostFigure.CPU: 20}


@pytest.mark.parametrize("missing", ["%idle", "%iowait"])
def test_missing_value_is_nan(missing: str) -> None:
    values = {"%idle": 80.0, "%iowait": 1.0} | {missing: math.nan}
    assert math.isnan(figures_of(values)[HostFigure.CPU])


def test_disks_by_iostat_and_by_sar() -> None:
    assert figures_of({"r/s": 2.0, "w/s": 3.0, "%util": 4.0}) == {
        HostFigure.DISK_READS: 2,
        HostFigure.DISK_WRITES: 3,
        HostFigure.DISK_TRANSFERS: 5,
        HostFigure.DISK_UTILISATION: 4,
    }
    assert figures_of({"tps": 5.0, "rtps": 2.0, "wtps": 3.0, "dtps": 0.0}) == {
        HostFigure.DISK_TRANSFERS: 5,
        HostFigure.DISK_READS: 2,
        HostFigure.DISK_WRITES: 3,
    }


def test_latency_queue_and_throughput_of_disks_by_their_names_in_old_versions_and_new() -> None:
    assert figures_of({"r_await": 0.45, "w_await": 1.5, "aqu-sz": 0.3, "rkB/s": 1_000_000 / 1024, "wMB/s": 1.0}) == {
        HostFigure.DISK_READ_LATENCY: 0.45,
        HostFigure.DISK_WRITE_LATENCY: 1.5,
        HostFigure.DISK_QUEUE: 0.3,
        HostFigure.DISK_READ_THROUGHPUT: pytest.approx(1.0),
        HostFigure.DISK_WRITE_THROUGHPUT: pytest.approx(1.048576),
    }
    assert figures_of({"await": 2.0, "avgqu-sz": 1.0, "rd_sec/s": 2_000.0}) == {
        HostFigure.DISK_LATENCY: 2.0,
        HostFigure.DISK_QUEUE: 1.0,
        HostFigure.DISK_READ_THROUGHPUT: pytest.approx(1.024),
    }


def test_a_gigabit_is_a_thousand_megabits() -> None:
    figures = figures_of({"rxkB/s": 1e9 / 8 / 1024, "txkB/s": 0.0, "%ifutil": 100.0})
    assert figures == {HostFigure.NETWORK_RECEIVED: pytest.approx(1_000), HostFigure.NETWORK_SENT: 0}


def test_which_column_is_the_device() -> None:
    assert device_column(["Device:", "r/s"]) == "Device:"
    assert device_column(["tps", "%util", "DEV"]) == "DEV"
    assert device_column(["tps", "rtps"]) is None
    assert [device_of(text) for text in ("-1", "all", "0", "sda")] == ["", "", "0", "sda"]


def test_tables_without_known_figures_are_detected() -> None:
    assert has_figures(["CPU", "%user", "%idle"])
    assert not has_figures(["proc/s", "cswch/s"])
