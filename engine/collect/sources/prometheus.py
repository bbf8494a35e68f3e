"""A host or a device by an exporter of metrics in Prometheus' text format: nothing of Prometheus itself is needed."""

import threading
from collections.abc import Generator, Sequence

from engine.collect.clock import utc_now
from engine.collect.host_counters import HostCounters, values_between
from engine.collect.polling import poll
from engine.collect.rates import Rates
from engine.collect.source import ClockExchange, SourceReading
from engine.collect.sources.exporters import Exporter, exporter_of
from engine.collect.sources.metric_rules import MetricRule, rule_of, rule_values
from engine.collect.sources.metrics_page import MetricsEndpoint, is_metrics_page, read_metrics
from engine.errors import UserError
from engine.machines.access import PrometheusAccess
from engine.telemetry.host import HostValue

# A clock was set, on the host or here, if the two differ by more between two pages, besides what their answers took.
_SET_SECONDS = 0.5


class PrometheusSource:
    """Reads an exporter's page at an interval. Raises ``BadInput`` for a rule that is none.

    Of node_exporter and windows_exporter it reads processors, disks, interfaces and memory, and of any exporter what
    the rules of the access name.
    """

    name = "Prometheus"
    is_average = False

    def __init__(self, access: PrometheusAccess, *, machine: str, interval_seconds: float = 1.0) -> None:
        self.interval_seconds = interval_seconds
        self._access = access
        self._machine = machine
        self._rules = [rule_of(text) for text in access.rules]
        self._reader: _PageReader | None = None

    @property
    def lacking(self) -> Sequence[str]:
        """The rules that no metric of the page matches."""
        return () if self._reader is None else [f"the rule {rule.name}" for rule in self._reader.unmatched]

    def readings(self, stop: threading.Event) -> Generator[SourceReading, None, None]:
        self._reader = reader = _PageReader(self._access.url, self._rules, self._machine)
        return poll(reader.read, self.interval_seconds, stop, close=reader.close)


class _PageReader:
    """Turns one page after the other into readings; rates are known from the second on."""

    def __init__(self, url: str, rules: Sequence[MetricRule], machine: str) -> None:
        self._what = f"{machine}: {url}"
        self._rules = rules
        self._endpoint = MetricsEndpoint(url, machine)
        self._exporter: Exporter | None = None
        self._wanted: frozenset[str] = frozenset()
        self._rates = Rates()
        self._counters: HostCounters | None = None
        self._pace = _Pace()
        self.unmatched: list[MetricRule] = []

    def close(self) -> None:
        self._endpoint.close()

    def read(self) -> SourceReading | None:
        sent = utc_now()
        text = self._endpoint.fetch()
        answered = utc_now()
        if not self._wanted:
            self._choose(text)
        try:
            metrics = read_metrics(text, self._wanted)
        except ValueError as error:
            raise UserError(f"{self._what} has a line that is no metric ({error}); check the exporter.") from error
        if not metrics and self._exporter is None:
            names = ", ".join(rule.metric for rule in self._rules)
            raise UserError(f"{self._what} has none of the metrics that the rules name ({names}); correct the rules.")
        self.unmatched = [rule for rule in self._rules if not rule.is_on(metrics)]
        there = None if self._exporter is None else self._exporter.utc_seconds(metrics)
        at_seconds = self._pace.moment(sent, answered, there)
        values = [value for rule in self._rules for value in rule_values(rule, metrics, self._rates, at_seconds)]
        if self._exporter is not None:
            values += self._host_values(self._exporter.counters(metrics, at_seconds))
        if there is None:
            return SourceReading(values=tuple(values), here_utc_seconds=sent) if values else None
        exchange = ClockExchange(sent_utc_seconds=sent, source_utc_seconds=there, answered_utc_seconds=answered)
        return SourceReading(values=tuple(values), here_utc_seconds=sent, source_utc_seconds=there, exchange=exchange)

    def _host_values(self, counters: HostCounters) -> tuple[HostValue, ...]:
        before, self._counters = self._counters, counters
        if before is None or _was_restarted(before, counters):
            return ()
        return values_between(before, counters)

    def _choose(self, text: str) -> None:
        """Find out from the first page what is read of all."""
        if not is_metrics_page(text):
            raise UserError(
                f"{self._what} is not a page of metrics; give an exporter's address, such as http://db1:9100/metrics."
            )
        self._exporter = exporter_of(text)
        if self._exporter is None and not self._rules:
            raise UserError(
                f"{self._what} is of neither node_exporter nor windows_exporter; add rules for what is to be read."
            )
        of_exporter = frozenset() if self._exporter is None else self._exporter.metrics
        self._wanted = of_exporter | {rule.metric for rule in self._rules}


class _Pace:
    """The moments of pages on a clock that only goes on: the host's own where it has one and that was not set."""

    def __init__(self) -> None:
        self._at_seconds = 0.0
        self._last: tuple[float, float, float | None] | None = None

    def moment(self, sent: float, answered: float, there: float | None) -> float:
        if self._last is not None:
            last_sent, last_answered, last_there = self._last
            elapsed = sent - last_sent
            by_host = elapsed if there is None or last_there is None else there - last_there
            uncertain = (answered - sent) + (last_answered - last_sent) + _SET_SECONDS
            self._at_seconds += by_host if abs(by_host - elapsed) <= uncertain and by_host > 0 else elapsed
        self._last = sent, answered, there
        return self._at_seconds


def _was_restarted(before: HostCounters, now: HostCounters) -> bool:
    """Whether the host counts from zero again."""
    return before.cpu is not None and now.cpu is not None and now.cpu.total < before.cpu.total
