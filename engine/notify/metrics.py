"""The figures of the running run for Prometheus: ``/metrics`` in its text exposition, on an address of this machine.

Each run gives its samples to a sink; a thread takes them in once a second, and a scrape reads the same figures that the
screen shows. Totals and clients are metrics of different names, so that a sum over labels counts nothing twice. The
figures of a mixed run have the label ``load``, the number of the load, and what its clients do is that load's.
"""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.analysis.loads_data import LoadsData
from engine.analysis.run_data import RunData
from engine.driver.sinks import Sink
from engine.errors import BadInput, UserError
from engine.figure_text import listed
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import RunEvent
from engine.telemetry.host import CollectorStatus, HostReading
from engine.telemetry.sample import Sample

LOOPBACK = "127.0.0.1"
_TAKE_IN_SECONDS = 1.0
_MILLI = 1000.0
_CLIENT = "client_"


@dataclass(frozen=True)
class MetricsAddress:
    """Where ``/metrics`` is served; this machine alone reaches it unless an address is given."""

    port: int
    address: str = LOOPBACK

    @classmethod
    def parse(cls, text: str) -> "MetricsAddress":
        """``9464``, ``0.0.0.0:9464`` or ``[::]:9464``. Raises ``BadInput``."""
        address, colon, port = text.strip().rpartition(":")
        plain = address.removeprefix("[").removesuffix("]") if address.startswith("[") else address
        is_bare_ipv6 = ":" in plain and plain == address
        if not port.isdecimal() or not 0 < int(port) < 65_536 or is_bare_ipv6 or (colon and not plain):
            raise BadInput(
                f"the address for metrics is '{text}'; write a port such as 9464, or with an address of this machine,"
                " 10.0.0.5:9464."
            )
        return cls(int(port), plain or LOOPBACK)

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


class MetricsServer:
    """Serves ``/metrics`` until ``close``; between runs the figures of the last one stay."""

    def __init__(self, address: MetricsAddress) -> None:
        """Raises ``UserError`` when the address can't be used."""
        self.address = address
        self._figures = _RunFigures()
        registry = CollectorRegistry(auto_describe=False)
        registry.register(self._figures)
        try:
            self._server, self._thread = start_http_server(address.port, address.address, registry)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise UserError(
                f"metrics can't be served on {address} ({reason}); give another port, or an address of this machine."
            ) from error
        self._closed = threading.Event()
        self._taker = threading.Thread(target=self._take_in, name="metrics", daemon=True)
        self._taker.start()

    def sink_for(self, plan: RunPlan, name: str) -> Sink:
        """The sink of a run that begins; its figures replace those of the run before."""
        sink = _Inbox()
        self._figures.begin(LoadsData(plan, name=name), sink)
        return sink

    def close(self) -> None:
        """Serve nothing any more."""
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._taker.join()

    def _take_in(self) -> None:
        """Also when nobody scrapes, so that samples do not pile up."""
        while not self._closed.wait(_TAKE_IN_SECONDS):
            self._figures.take_in()


@dataclass(frozen=True)
class _Began:
    at: datetime


@dataclass(frozen=True)
class _State:
    state: RunState
    phases: Phases


_News = Sample | HostReading | CollectorStatus | RunEvent | _Began | _State


class _Inbox(Sink):
    """A sink that only queues."""

    def __init__(self) -> None:
        self.news: deque[_News] = deque()

    def begin(self, started_at: datetime) -> None:
        self.news.append(_Began(started_at))

    def write_sample(self, sample: Sample) -> None:
        self.news.append(sample)

    def write_host(self, reading: HostReading) -> None:
        self.news.append(reading)

    def write_collector(self, status: CollectorStatus) -> None:
        self.news.append(status)

    def write_event(self, event: RunEvent) -> None:
        self.news.append(event)

    def set_state(self, state: RunState, phases: Phases) -> None:
        self.news.append(_State(state, phases))


class _RunFigures(Collector):
    """The metrics of the newest run; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._run: LoadsData | None = None
        self._inbox = _Inbox()

    def begin(self, run: LoadsData, inbox: _Inbox) -> None:
        with self._lock:
            self._run, self._inbox = run, inbox

    def take_in(self) -> None:
        """Add what the run has sent since."""
        with self._lock:
            if self._run is not None:
                _take(self._run, self._inbox.news)

    def collect(self) -> Iterable[Metric]:
        self.take_in()
        with self._lock:
            return [] if self._run is None else list(_metrics(self._run))


def _take(run: LoadsData, news: deque[_News]) -> None:
    while news:
        item = news.popleft()
        match item:
            case Sample():
                run.add(item)
            case HostReading() | CollectorStatus():
                run.take_host(item)
            case RunEvent():
                run.put_event(item)
            case _Began():
                run.begin(item.at)
            case _State():
                run.set_state(item.state, item.phases)


def _metrics(run: LoadsData) -> Iterator[Metric]:
    first, by_load = run.first, ["load"] if run.plan.is_mixed else []
    info = GaugeMetricFamily("spindle_run_info", "The newest run.", labels=[*by_load, "run", "workload"])
    for number, load in enumerate(run.loads, start=1):
        info.add_metric([*(str(number) for _ in by_load), load.name, load.plan.workload], 1)
    state = GaugeMetricFamily("spindle_run_state", "1 for the state of the run.", labels=["state"])
    for each in RunState:
        state.add_metric([each.value], float(each is first.state))
    yield from (info, state)
    yield from _figure_metrics(run, "", by_load)
    yield from _figure_metrics(run, _CLIENT, by_load)
    if first.hosts.has_power and (watts := first.hosts.watts(first.end)) is not None:
        yield GaugeMetricFamily("spindle_power_watts", "The power of all machines that are read.", value=watts)


def _figure_metrics(run: LoadsData, prefix: str, by_load: list[str]) -> Iterator[Metric]:
    """The same metrics of all clients of a load together, or with a ``prefix`` of each by its label."""
    whose = [*by_load, *(["client"] if prefix else [])]
    rates = listed(list(dict.fromkeys(load.headline.metric.label for load in run.loads)))
    rate_text = f"{rates} over the run, in the last second, and in the window of 10 s."
    times_text = "Response times of the headline's transactions in the last 10 s."
    rate = _gauge(prefix, "headline_rate", rate_text, whose, "metric", "over")
    time = _gauge(prefix, "response_time_seconds", times_text, whose, "quantile")
    mean = _gauge(prefix, "response_time_mean_seconds", times_text, whose)
    intended = _gauge(prefix, "response_time_intended_seconds", f"As intended: {times_text}", whose, "quantile")
    users = _gauge(prefix, "users", "Users by state.", whose, "state")
    count = _counter(prefix, "headline_transactions", "The headline's transactions since the start.", whose)
    errors = _counter(prefix, "errors", "Errors since the start.", whose, "class")
    for load, labels, number in _labelled(run, prefix, by_load):
        metric, each = load.headline.metric, load.figures(number)
        for over, value in (
            ("run", each.headline_rate_running),
            ("second", each.headline_rate_now),
            ("window", each.headline_rate_window),
        ):
            _add(rate, [*labels, metric.id, over], value)
        for quantile, value_ms, intended_ms in (
            ("0.95", each.p95_ms, each.intended_p95_ms),
            ("0.99", each.p99_ms, each.intended_p99_ms),
        ):
            _add(time, [*labels, quantile], value_ms, _MILLI)
            _add(intended, [*labels, quantile], intended_ms, _MILLI)
        _add(mean, labels, each.mean_ms, _MILLI)
        for user_state, present in each.users.items():
            _add(users, [*labels, user_state], present)
        for error_class, happened in (each.errors or {}).items():
            errors.add_metric([*labels, error_class], happened)
        count.add_metric(labels, load.series.count(load.headline.names.n, client=number))
    yield from (rate, time, mean, intended, users, count, errors)


def _labelled(run: LoadsData, prefix: str, by_load: list[str]) -> Iterator[tuple[RunData, list[str], int | None]]:
    """Each load with the labels of its metrics, and the client that they are of, ``None`` for all together."""
    for number, load in enumerate(run.loads, start=1):
        labels = [str(number) for _ in by_load]
        if not prefix:
            yield load, labels, None
            continue
        for client in load.clients:
            yield load, [*labels, client.label], client.number


def _gauge(prefix: str, name: str, text: str, whose: list[str], *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"spindle_{prefix}{name}", text, labels=[*whose, *labels])


def _counter(prefix: str, name: str, text: str, whose: list[str], *labels: str) -> CounterMetricFamily:
    return CounterMetricFamily(f"spindle_{prefix}{name}", text, labels=[*whose, *labels])


def _add(family: GaugeMetricFamily, labels: list[str], value: float | None, factor: float = 1.0) -> None:
    """Unknown values are left out, as Prometheus takes a missing one for unknown."""
    if value is not None:
        family.add_metric(labels, value / factor)
