"""Exporters read over HTTP: pages of known figures from a real HTTP server, and the distribution's node_exporter."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from engine.collect.checking import check_machine
from engine.collect.source import SourceReading
from engine.collect.sources.metrics_page import MetricsEndpoint
from engine.collect.sources.prometheus import PrometheusSource
from engine.errors import UserError
from engine.lab.node import pick_port
from engine.machines.access import PrometheusAccess
from engine.machines.machine import Machine
from engine.telemetry.host_figure import HostFigure
from tests.doubles.page_server import PageServer

INTERVAL_SECONDS = 0.05
NODE_EXPORTER = "prometheus-node-exporter"


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def source_of(url: str, *rules: str, interval_seconds: float = INTERVAL_SECONDS) -> PrometheusSource:
    access = PrometheusAccess(url=url, rules=rules)
    return PrometheusSource(access, machine="db1", interval_seconds=interval_seconds)


def figures_of(reading: SourceReading) -> dict[str, float]:
    """To four digits: the host's clock, seconds since 1970 in a double, has no more than 0.2 µs."""
    return {f"{value.name} {value.device}".rstrip(): float(f"{value.value:.4g}") for value in reading.values}


def node_page(second: float, *, reads: float = 0.0, cpus: int = 2) -> str:
    """Processors are idle for half of the time and wait for disks for a tenth; a read takes 4 ms and has 8 kB."""
    lines = [
        "# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.",
        "# TYPE node_cpu_seconds_total counter",
    ]
    for cpu in range(cpus):
        for mode, share in (("idle", 0.5), ("iowait", 0.1), ("user", 0.25), ("system", 0.1), ("steal", 0.05)):
            lines.append(f'node_cpu_seconds_total{{cpu="{cpu}",mode="{mode}"}} {1e4 + share * second}')
    lines += [
        f'node_disk_reads_completed_total{{device="sda"}} {reads}',
        'node_disk_writes_completed_total{device="sda"} 5',
        f'node_disk_read_bytes_total{{device="sda"}} {8000 * reads:e}',
        'node_disk_written_bytes_total{device="sda"} 1e6',
        f'node_disk_read_time_seconds_total{{device="sda"}} {0.004 * reads}',
        'node_disk_write_time_seconds_total{device="sda"} 1',
        f'node_disk_io_time_seconds_total{{device="sda"}} {0.75 * second}',
        f'node_disk_io_time_weighted_seconds_total{{device="sda"}} {3 * second}',
        'node_disk_reads_completed_total{device="loop0"} 7',
        f'node_network_receive_bytes_total{{device="eth0"}} {125_000 * second}',
        f'node_network_transmit_bytes_total{{device="eth0"}} {250_000 * second}',
        'node_network_speed_bytes{device="eth0"} 1.25e+08',
        f'node_network_receive_bytes_total{{device="lo"}} {1e6 * second}',
        f'node_network_transmit_bytes_total{{device="lo"}} {1e6 * second}',
        "node_memory_MemTotal_bytes 1.6e+10",
        "node_memory_MemAvailable_bytes 4e+09",
        "node_memory_SwapTotal_bytes 2e+09",
        "node_memory_SwapFree_bytes 1.5e+09",
        f"node_pressure_io_waiting_seconds_total {0.2 * second}",
        f"node_time_seconds {1.7e9 + second:f}",
        "node_filesystem_free_bytes NaN",
        "",
    ]
    return "\n".join(lines)


def test_node_exporter_as_figures_of_the_host(stop: threading.Event) -> None:
    with PageServer(node_page(0), node_page(0.05, reads=10)) as server:
        first, second = read(source_of(server.url), stop, 2)
    assert first.values == ()
    assert figures_of(second) == {
        "CPU": 40.0,
        "CPU I/O wait": 10.0,
        "CPU steal": 5.0,
        "I/O pressure": 20.0,
        "Memory used": 75.0,
        "Memory available": 4000.0,
        "Swap used": 500.0,
        "Disk reads sda": 200.0,
        "Disk writes sda": 0.0,
        "Disk transfers sda": 200.0,
        "Disk read throughput sda": 1.6,
        "Disk write throughput sda": 0.0,
        "Disk utilisation sda": 75.0,
        "Disk read latency sda": 4.0,
        "Disk queue sda": 3.0,
        "Network received eth0": 1.0,
        "Network sent eth0": 2.0,
        "Network speed eth0": 1000.0,
    }
    assert second.source_utc_seconds == 1.7e9 + 0.05
    assert second.exchange is not None
    assert second.exchange.sent_utc_seconds <= second.exchange.answered_utc_seconds


def windows_page(second: float, *, disk_idle: float = 0.3) -> str:
    """Four processors are idle for 80 % of the time, the volume for 30 %."""
    lines = [
        f'windows_cpu_time_total{{core="0,{core}",mode="{mode}"}} {share * second}'
        for core in range(4)
        for mode, share in (
            ("idle", 0.8), ("user", 0.15), ("privileged", 0.05), ("interrupt", 0.02), ("dpc", 0.02)
        )
    ]  # fmt: skip
    for name, value in (
        ("reads", 100 * second), ("writes", 300 * second), ("read_bytes", 1e6 * second), ("write_bytes", 4e6 * second),
        ("read_latency_seconds", 0.5 * second), ("write_latency_seconds", 0.6 * second),
        ("idle_seconds", disk_idle * second),
    ):  # fmt: skip
        lines.append(f'windows_logical_disk_{name}_total{{volume="C:"}} {value}')
    lines += [
        f'windows_net_bytes_received_total{{nic="Intel_I350"}} {125_000 * second}',
        f'windows_net_bytes_sent_total{{nic="Intel_I350"}} {250_000 * second}',
        'windows_net_current_bandwidth_bytes{nic="Intel_I350"} 1.25e+09',
        "windows_cs_physical_memory_bytes 3.2e+10",
        "windows_os_physical_memory_free_bytes 8e+09",
        f"windows_os_time {1.7e9 + second:f}",
        "",
    ]
    return "\n".join(lines)


def test_windows_exporter_as_figures_of_the_host(stop: threading.Event) -> None:
    with PageServer(windows_page(100.0), windows_page(100.05)) as server:
        _, second = read(source_of(server.url), stop, 2)
    assert figures_of(second) == pytest.approx(
        {
            "CPU": 20.0,
            "Memory used": 75.0,
            "Memory available": 8000.0,
            "Disk reads C:": 100.0,
            "Disk writes C:": 300.0,
            "Disk transfers C:": 400.0,
            "Disk read throughput C:": 1.0,
            "Disk write throughput C:": 4.0,
            "Disk utilisation C:": 70.0,
            "Disk read latency C:": 5.0,
            "Disk write latency C:": 2.0,
            "Network received Intel_I350": 1.0,
            "Network sent Intel_I350": 2.0,
            "Network speed Intel_I350": 10_000.0,
        },
        abs=0.01,
    )


def test_a_disk_that_was_idle_for_longer_than_the_time_between_two_pages_is_not_busy(stop: threading.Event) -> None:
    with PageServer(*(windows_page(0.05 * number, disk_idle=1.2) for number in range(3))) as server:
        *_, last = read(source_of(server.url), stop, 3)
    assert figures_of(last)["Disk utilisation C:"] == 0


def test_after_a_restart_of_the_host_a_second_is_unknown_and_then_all_goes_on(stop: threading.Event) -> None:
    before = node_page(5e4, reads=5e6)
    pages = (before, node_page(0, reads=3), node_page(0.05, reads=13))
    with PageServer(*pages) as server:
        readings = read(source_of(server.url), stop, 3)
    assert [len(each.values) > 0 for each in readings] == [False, False, True]
    assert figures_of(readings[2])["Disk reads sda"] == 200


def test_missing_metrics_are_left_out(stop: threading.Event) -> None:
    def page(second: float) -> str:
        return "\n".join(line for line in node_page(second).splitlines() if "disk" not in line and "Swap" not in line)

    with PageServer(page(0), page(0.05)) as server:
        _, reading = read(source_of(server.url), stop, 2)
    assert {"CPU", "Memory used", "Network sent eth0"} <= figures_of(reading).keys()
    assert not [name for name in figures_of(reading) if name.startswith(("Disk", "Swap"))]


def test_any_exporter_by_rules_without_a_clock_of_its_own(stop: threading.Event) -> None:
    rules = ("Power = pdu_kilowatts * 1000 W", "Commits = rate(commits_total) 1/s")
    with PageServer(*(f'pdu_kilowatts{{outlet="1"}} 0.197\ncommits_total {n}\n' for n in range(5))) as server:
        first, second = read(source_of(server.url, *rules), stop, 2)
    assert figures_of(first) == {"Power 1": 197.0}
    seconds = second.here_utc_seconds - first.here_utc_seconds
    assert figures_of(second)["Commits"] == pytest.approx(1 / seconds, rel=1e-3)  # each page has one commit more
    assert second.source_utc_seconds is None


@pytest.mark.parametrize(
    ("page", "status", "told"),
    [
        ("", 404, r"^db1: http://127\.0\.0\.1:\d+/metrics answered HTTP 404; correct the address"),
        ("<html><body>It works!</body></html>", 200, "is not a page of metrics; give an exporter's address"),
        ("", 200, "is not a page of metrics"),
        ("go_goroutines 7\n", 200, "neither node_exporter nor windows_exporter; add rules"),
        ("up 1\nnode_time_seconds{ 1\n", 200, "has a line that is no metric"),
        ("x" * 16_000_001, 200, "sends more than 16 MB"),
    ],
)
def test_what_is_no_exporter(stop: threading.Event, page: str, status: int, told: str) -> None:
    with PageServer(page) as server:
        server.status = status
        with pytest.raises(UserError, match=told):
            read(source_of(server.url), stop, 1)


def test_rules_that_name_no_metric_of_the_page(stop: threading.Event) -> None:
    told = r"has none of the metrics that the rules name \(outlet_watts, commits\); correct the rules"
    with PageServer("go_goroutines 7\n") as server, pytest.raises(UserError, match=told):
        read(source_of(server.url, "Power = outlet_watts", "rate(commits)"), stop, 1)


def test_a_rule_that_nothing_on_the_page_matches_is_reported_in_the_test_of_the_machine() -> None:
    rules = ("Power = outlet_watts", 'rate(commits{datname="ds2"}) 1/s', "Load = load1")
    page = 'load1 2\ncommits{datname="other"} 5\n'
    with PageServer(*[page] * 3) as server:
        access = PrometheusAccess(url=server.url, rules=rules)
        (report,) = check_machine(Machine(name="db1", accesses=(access,)), lambda _: None)
    assert report.works
    assert report.sentence.endswith("Nothing there matches the rule Power and the rule commits.")


def test_an_endpoint_that_is_not_there(stop: threading.Event) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(UserError, match=r"db1: .*did not answer \(Connection refused\); is the exporter running there"):
        read(source_of(f"http://127.0.0.1:{port}"), stop, 1)


def test_late_answers_are_readings_of_their_own_time_with_gaps_between(stop: threading.Event) -> None:
    """As of an exporter that takes 8 s, at a fiftieth of the times."""
    pages = [node_page(0.2 * number) for number in range(3)]
    with PageServer(*pages) as server:
        server.delay_seconds = 0.16
        readings = read(source_of(server.url, interval_seconds=0.02), stop, 3)
        assert server.requests == 3
    assert [each.source_utc_seconds for each in readings] == pytest.approx([1.7e9, 1.7e9 + 0.2, 1.7e9 + 0.4])
    assert figures_of(readings[2])["Disk utilisation sda"] == 75


def test_an_answer_that_takes_too_long_is_an_error() -> None:
    with PageServer("up 1\n") as server:
        server.delay_seconds = 30.0
        endpoint = MetricsEndpoint(server.url, "db1", answer_seconds=0.2)
        with pytest.raises(UserError, match=r"did not answer \(timed out\)"):
            endpoint.fetch()


def test_a_connection_that_the_exporter_has_closed_is_made_anew() -> None:
    with PageServer("up 1\n") as server:
        endpoint = MetricsEndpoint(server.url, "db1")
        assert [endpoint.fetch() for _ in range(3)] == ["up 1\n"] * 3
        assert server.connections == 1
        server.keeps_connections = False
        assert [endpoint.fetch() for _ in range(3)] == ["up 1\n"] * 3
        assert server.connections == 3
        endpoint.close()


@pytest.fixture
def node_exporter() -> Iterator[str]:
    program = shutil.which(NODE_EXPORTER)
    assert program is not None, "packaging/test-servers.txt names the package"
    port = pick_port(None)  # none of those that the system gives to others meanwhile
    command = [program, f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)


def test_the_distributions_node_exporter(node_exporter: str, stop: threading.Event) -> None:
    readings = read_when_up(source_of(node_exporter, "Goroutines = go_goroutines count", interval_seconds=0.2), stop)
    figures = figures_of(readings[-1])
    assert 0 <= figures["CPU"] <= 100
    assert 0 < figures["Memory used"] < 100
    assert figures["Goroutines"] > 0
    assert not {HostFigure.NETWORK_SENT + " lo"} & figures.keys()
    assert readings[-1].source_utc_seconds == pytest.approx(readings[-1].here_utc_seconds, abs=5)


def read(source: PrometheusSource, stop: threading.Event, count: int) -> list[SourceReading]:
    readings = source.readings(stop)
    try:
        return [next(readings) for _ in range(count)]
    finally:
        readings.close()


def read_when_up(source: PrometheusSource, stop: threading.Event) -> list[SourceReading]:
    until = time.monotonic() + 90
    while True:
        try:
            return read(source, stop, 3)
        except UserError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
