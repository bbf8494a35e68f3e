"""The rows of the client table: the figures of each client of a run, and of all of them together."""

from dataclasses import dataclass

import numpy as np

from engine.analysis.client_state import ClientCondition, client_conditions
from engine.analysis.figures import Figures
from engine.analysis.run_data import RunData
from engine.analysis.series.rates import Rates
from engine.target.target import Target

SPARK_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class ClientRow:
    """One client, or (``client`` ``None``) all of them together.

    ``spark`` is the OPM of each of the last ``SPARK_SECONDS``, NaN where unknown; ``spark_top`` is the top of its
    scale, the same for all clients, so that they can be compared. ``share_pct`` is the client's share of all orders;
    ``heartbeat_ms`` is the p99 of its process's heartbeat lateness.
    """

    client: int | None
    label: str
    target: str
    url: str
    condition: ClientCondition | None
    figures: Figures
    share_pct: float | None
    spark: Rates
    spark_top: float
    heartbeat_ms: float | None = None

    @property
    def errors(self) -> int | None:
        """The number of errors of all classes."""
        return self.figures.error_count


def client_rows(run: RunData) -> list[ClientRow]:
    """A row for each client in order, and the total as the last one."""
    conditions = client_conditions(run)
    total = run.figures()
    sparks = {client.number: _spark(run, client.number) for client in run.clients}
    top = max(_highest(spark) for spark in sparks.values())
    with_hosts = len({client.target.hosts for client in run.clients}) > 1
    rows: list[ClientRow] = []
    for client in run.clients:
        figures = run.figures(client.number)
        rows.append(
            ClientRow(
                client=client.number,
                label=client.label,
                target=_place(client.target, with_hosts),
                url=client.target.url,
                condition=conditions[client.number],
                figures=figures,
                share_pct=100 * figures.orders / total.orders if total.orders else None,
                spark=sparks[client.number],
                spark_top=top,
                heartbeat_ms=run.heartbeat_ms(client.number),
            )
        )
    return [*rows, _total(total, _spark(run, None))]


def _total(figures: Figures, spark: Rates) -> ClientRow:
    return ClientRow(
        client=None,
        label="Total",
        target="",
        url="",
        condition=None,
        figures=figures,
        share_pct=100.0 if figures.orders else None,
        spark=spark,
        spark_top=_highest(spark),
    )


def _spark(run: RunData, client: int | None) -> Rates:
    end = run.measured_end
    counts = run.series.by_second(run.headline.names.n, client, first=max(0, end - SPARK_SECONDS), end=end)
    return run.headline.metric.per_seconds * counts


def _highest(spark: Rates) -> float:
    known = spark[~np.isnan(spark)]
    return float(known.max(initial=0.0))


def _place(target: Target, with_hosts: bool) -> str:
    """Where a client's store is; its hosts are named when the clients' differ."""
    hosts = ",".join(str(host) for host in target.hosts) or target.kind
    return f"{hosts}/{target.database}" if with_hosts else target.database
