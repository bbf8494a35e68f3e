"""The options `--metrics` and `--grafana`: what shows runs elsewhere while they go on."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import click

from app.cli.problems import print_notice
from engine.secrets import GRAFANA_VARIABLE

if TYPE_CHECKING:
    from engine.notify.monitoring import Monitoring

_Function = TypeVar("_Function", bound=Callable[..., Any])
_metrics_option = click.option(
    "--metrics",
    "metrics_address",
    metavar="[ADDRESS:]PORT",
    help="Serve the run's figures to Prometheus at /metrics on this port, for this machine alone unless an address is"
    " given.",
)
_grafana_option = click.option(
    "--grafana",
    "grafana_url",
    metavar="URL",
    help="Show marks, faults and phases as annotations in this Grafana; its token comes from"
    f" {GRAFANA_VARIABLE} or the keyring.",
)


def monitoring_options(function: _Function) -> _Function:
    """Both options, as ``metrics_address`` and ``grafana_url``."""
    return _metrics_option(_grafana_option(function))


def monitoring_of(metrics_address: str | None, grafana_url: str | None) -> "AbstractContextManager[Monitoring | None]":
    """What the options ask for, if anything; raises ``UserError`` when it can't be had, before anything begins."""
    if metrics_address is None and grafana_url is None:
        return nullcontext()
    from engine.notify.grafana import Grafana, find_token
    from engine.notify.metrics import MetricsAddress
    from engine.notify.monitoring import Monitoring

    grafana = None if grafana_url is None else Grafana.parse(grafana_url, find_token())
    return Monitoring(
        None if metrics_address is None else MetricsAddress.parse(metrics_address), grafana, warn=print_notice
    )
