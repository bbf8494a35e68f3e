"""What shows a run elsewhere while it goes on: ``/metrics`` for Prometheus, and annotations in Grafana."""

from collections.abc import Callable
from types import TracebackType
from typing import Self

from engine.driver.sinks import Sink
from engine.notify.grafana import Grafana, GrafanaAnnotations
from engine.notify.metrics import MetricsAddress, MetricsServer
from engine.plan.plan import RunPlan

_LAST_ANNOTATIONS_SECONDS = 6.0


class Monitoring:
    """Both are off unless given. ``warn`` gets a sentence when Grafana can't be reached, on any thread.

    Making it raises ``UserError`` when the address of ``metrics`` can't be used.
    """

    def __init__(self, metrics: MetricsAddress | None, grafana: Grafana | None, *, warn: Callable[[str], None]) -> None:
        self._server = None if metrics is None else MetricsServer(metrics)
        self._grafana = grafana
        self._warn = warn
        self._annotations: GrafanaAnnotations | None = None

    def sinks(self, plan: RunPlan, name: str) -> list[Sink]:
        """The sinks of a run that begins."""
        self._annotations = None
        if self._grafana is not None:
            self._annotations = GrafanaAnnotations(self._grafana, name, warn=self._warn)
        of_metrics = [] if self._server is None else [self._server.sink_for(plan, name)]
        return [*of_metrics, *([] if self._annotations is None else [self._annotations])]

    def close(self) -> None:
        """Serve nothing any more; the last annotations are waited for a little."""
        if self._annotations is not None:
            self._annotations.close(_LAST_ANNOTATIONS_SECONDS)
        if self._server is not None:
            self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
