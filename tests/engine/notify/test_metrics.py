"""/metrics of a run, scraped over HTTP and read with Prometheus's own parser."""

import socket
import urllib.request
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from engine.errors import BadInput, UserError
from engine.notify.metrics import MetricsAddress, MetricsServer
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.host import HostReading
from engine.telemetry.host_figure import HostFigure
from engine.telemetry.sample import Count, Sample
from tests.doubles.hosts import STARTED_AT, a_status, value
from tests.doubles.samples import dvd_sample

Values = dict[tuple[str, frozenset[tuple[str, str]]], float]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    server = MetricsServer(MetricsAddress(free_port()))
    yield server
    server.close()


def scrape(server: MetricsServer) -> Values:
    with urllib.request.urlopen(f"http://{server.address}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def of(values: Values, name: str, **labels: str) -> float | None:
    return values.get((f"spindle_{name}", frozenset(labels.items())))


def a_run(server: MetricsServer, orders: tuple[int, ...] = (10, 20), name: str = "evening") -> None:
    """Ten measured seconds, each client with so many orders and an error in each."""
    sink = server.sink_for(RunPlan(clients=len(orders)), name)
    sink.begin(STARTED_AT)
    sink.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=0))
    for second in range(10):
        for client, count in enumerate(orders, start=1):
            sink.write_sample(
                dvd_sample(
                    client=client,
                    second=second,
                    orders=count,
                    order_us=4_000 * count,
                    working=3,
                    thinking=5,
                    errors={"deadlock": 1},
                )
            )


def test_before_a_run_nothing_is_reported(server: MetricsServer) -> None:
    assert scrape(server) == {}


def test_figures_of_all_and_of_each_client(server: MetricsServer) -> None:
    a_run(server)
    values = scrape(server)
    assert of(values, "run_info", run="evening", workload="dvdstore") == 1
    assert of(values, "run_state", state="measuring") == 1
    assert of(values, "run_state", state="completed") == 0
    for over in ("run", "second", "window"):
        assert of(values, "headline_rate", metric="opm", over=over) == 1800
        assert of(values, "client_headline_rate", client="ds2 #2", metric="opm", over=over) == 1200
    assert of(values, "headline_transactions_total") == 300
    assert of(values, "client_headline_transactions_total", client="ds2 #1") == 100
    assert of(values, "errors_total", **{"class": "deadlock"}) == 20
    assert of(values, "client_errors_total", client="ds2 #1", **{"class": "deadlock"}) == 10
    assert of(values, "users", state="thinking") == 10
    assert of(values, "client_users", client="ds2 #2", state="working") == 3
    assert of(values, "response_time_mean_seconds") == pytest.approx(0.004)
    assert of(values, "power_watts") is None


def test_watts(server: MetricsServer) -> None:
    sink = server.sink_for(RunPlan(), "metered")
    sink.begin(STARTED_AT)
    sink.write_sample(dvd_sample(client=1, second=0, orders=1))
    sink.write_collector(a_status(1, "meter"))
    reading = HostReading(collector=1, utc_seconds=STARTED_AT.timestamp() + 1, values=(value(HostFigure.POWER, 326.4),))
    sink.write_host(reading)
    assert of(scrape(server), "power_watts") == pytest.approx(326.4)


def test_the_next_run_replaces_the_last(server: MetricsServer) -> None:
    a_run(server)
    scrape(server)
    a_run(server, (7,), name="night")
    values = scrape(server)
    assert of(values, "run_info", run="night", workload="dvdstore") == 1
    assert of(values, "headline_transactions_total") == 70
    assert of(values, "run_info", run="evening", workload="dvdstore") is None


def test_only_this_machine_reaches_it_by_default(server: MetricsServer) -> None:
    assert server.address.address == "127.0.0.1"


def test_a_port_in_use_is_one_sentence(server: MetricsServer) -> None:
    with pytest.raises(UserError, match=rf"metrics can't be served on 127\.0\.0\.1:{server.address.port} \(.*give an"):
        MetricsServer(server.address)


def test_after_its_end_the_port_is_free() -> None:
    address = MetricsAddress(free_port())
    for _ in range(2):
        MetricsServer(address).close()


@pytest.mark.parametrize(
    ("text", "address", "port"),
    [
        ("9464", "127.0.0.1", 9464),
        (" 0.0.0.0:9464 ", "0.0.0.0", 9464),
        ("[::1]:80", "::1", 80),
        ("db-bench:65535", "db-bench", 65535),
    ],
)
def test_addresses(text: str, address: str, port: int) -> None:
    assert MetricsAddress.parse(text) == MetricsAddress(port, address)


@pytest.mark.parametrize("text", ["", "0", "65536", "x", ":9464", "::1:9464", "10.0.0.1:", "-1", "[]:80"])
def test_bad_addresses_are_named_with_the_remedy(text: str) -> None:
    with pytest.raises(BadInput, match=r"the address for metrics is .*; write a port such as 9464"):
        MetricsAddress.parse(text)


@given(st.text())
def test_any_text_is_an_address_or_bad_input(text: str) -> None:
    try:
        address = MetricsAddress.parse(text)
    except BadInput:
        return
    assert MetricsAddress.parse(str(address)) == address


def test_a_mixed_run_has_the_figures_of_each_load(server: MetricsServer) -> None:
    plan = RunPlan.from_dict({"clients": 2, "load": [{"workload": "wholesale"}]})
    sink = server.sink_for(plan, "both")
    sink.begin(STARTED_AT)
    sink.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=0))
    for client in (1, 2):
        sink.write_sample(dvd_sample(client=client, second=0, working=8, orders=10 * client))
    sink.write_sample(Sample(client=3, second=0, working=2, transactions={"new_order": Count(4, 700, 900)}))
    values = scrape(server)
    assert of(values, "run_info", run="both", load="2", workload="wholesale") == 1
    assert of(values, "headline_transactions_total", load="1") == 30
    assert of(values, "headline_transactions_total", load="2") == 4
    assert of(values, "headline_rate", load="2", metric="nopm", over="second") == 240
    assert of(values, "client_headline_transactions_total", load="2", client="wholesale") == 4
