from dataclasses import replace

import numpy as np

from engine.analysis.host.measurement import HostMeasurement
from engine.analysis.host.series import HostSeries
from engine.report.document import ChartFigure, LineChart
from engine.report.host_table import host_run_sections, host_sections
from engine.report.results import Result, result_of_run
from tests.doubles.samples import OPM
from tests.engine.events import suspended
from tests.engine.report.reported import STARTED_AT, a_reported_run, blocks_of, rows_of, table_of, texts_of

EPOCH = STARTED_AT.timestamp()


def a_measurement(
    name: str, unit: str, values: dict[int, float], device: str = "", source: str = ""
) -> HostMeasurement:
    series = HostSeries(
        source=source,
        device=device,
        name=name,
        unit=unit,
        utc_seconds=np.array([EPOCH + second for second in values], dtype=np.float64),
        values=np.array(list(values.values()), dtype=np.float64),
    )
    return HostMeasurement(number=1, kind="sar", file_name="sar.csv", series=(series,))


def a_result(name: str, *host: HostMeasurement) -> Result:
    return result_of_run(a_reported_run(run_id=name, name=name, host=host))


def test_counters_stand_beside_each_other_by_name_and_source() -> None:
    steady = dict.fromkeys(range(1, 10), 50.0)
    first = a_result(
        "a", a_measurement("CPU", "%", steady, source="db1"), a_measurement("Disk reads", "ops/s", steady, "sda")
    )
    second = a_result("b", a_measurement("CPU", "%", dict.fromkeys(range(1, 10), 80.5), source="db1"))
    blocks = blocks_of(host_sections([first, Result(headline=OPM, name="published"), second]))
    assert rows_of(table_of(blocks, "Means")) == [
        ("CPU (db1)", "50.0 %", "80.5 %"),
        ("Disk reads sda", "50.0 ops/s", "–"),
    ]
    assert texts_of(blocks) == []


def test_a_counter_of_two_readers_stands_twice() -> None:
    first, second = (a_measurement("CPU", "%", dict.fromkeys(range(1, 10), value), source="db1") for value in (50, 80))
    blocks = blocks_of(host_sections([a_result("a", first, replace(second, number=2))]))
    assert rows_of(table_of(blocks, "Means")) == [("CPU (db1)", "50.0 %"), ("CPU (db1, sar 2)", "80.0 %")]
    live = [replace(each, number=number, source=f"way {number}") for number, each in enumerate((first, second), 1)]
    (section,) = host_run_sections(a_result("a", *live))
    assert [row[0] for row in rows_of(table_of(section.blocks, "Counters"))] == ["CPU (db1, way 1)", "CPU (db1, way 2)"]
    (chart,) = [block.chart for block in section.blocks if isinstance(block, ChartFigure)]
    assert isinstance(chart, LineChart)
    assert [line.label for line in chart.lines] == ["CPU (db1, way 1)", "CPU (db1, way 2)"]


def test_gaps_are_reported() -> None:
    blocks = blocks_of(host_sections([a_result("a", a_measurement("CPU", "%", {1: 1, 2: 1, 3: 1, 4: 1, 9: 1}))]))
    assert texts_of(blocks) == ["a: CPU: values are known for 33 % of the span; the gaps are left out."]


def test_a_suspend_of_the_workstation_is_reported_where_there_are_means() -> None:
    suspend = suspended(5, 120)
    cpu = a_measurement("CPU", "%", dict.fromkeys(range(1, 10), 50.0), source="db1")
    with_host, without = (
        result_of_run(a_reported_run(run_id=name, name=name, host=host, events=[suspend]))
        for name, host in (("a", [cpu]), ("b", []))
    )
    (text,) = texts_of(blocks_of(host_sections([with_host, without])))
    assert text.startswith("a: The workstation was suspended for 120.0 s at 0:02. Its seconds leave that")


def test_watts_are_left_to_their_section_and_a_files_own_counters_are_shown() -> None:
    steady = dict.fromkeys(range(1, 10), 20_480.0)
    host = (a_measurement("Power", "W", steady), a_measurement("Memory: Available MBytes", "MB", steady))
    assert host_sections([a_result("a", host[0])]) == []
    (section,) = host_sections([a_result("a", *host)])
    assert rows_of(table_of(section.blocks, "Means")) == [("Memory: Available MBytes", "20 480 MB")]


def test_of_one_run_a_small_latency_has_its_digits_its_extremes_and_a_chart_of_its_own() -> None:
    latencies = {second: 3.4 + second / 10 for second in range(1, 10)}
    idle = dict.fromkeys(range(1, 10), 0.0034)
    result = a_result(
        "a",
        a_measurement("Disk read latency", "ms", latencies, "0 C:"),
        a_measurement("Disk write latency", "ms", idle, "0 C:"),
        a_measurement("Memory: Available MBytes", "MB", dict.fromkeys(range(1, 10), 20_480.0)),
    )
    (section,) = host_run_sections(result)
    assert rows_of(table_of(section.blocks, "Counters")) == [
        ("Disk read latency 0 C:", "4.05 ms", "3.80 ms", "4.30 ms"),
        ("Disk write latency 0 C:", "0.00340 ms", "0.00340 ms", "0.00340 ms"),
        ("Memory: Available MBytes", "20 480 MB", "20 480 MB", "20 480 MB"),
    ]
    charts = [block.chart for block in section.blocks if isinstance(block, ChartFigure)]
    assert [chart.y_label for chart in charts] == ["Latency, ms", "Latency, ms", "Memory, MB"]
    assert [[line.label for line in chart.lines] for chart in charts if isinstance(chart, LineChart)] == [
        ["Disk read latency 0 C:"],
        ["Disk write latency 0 C:"],
        ["Memory: Available MBytes"],
    ]
