"""A run's result as the terminal prints it: the layout of the published tables, a row per client and the total."""

from typing import Any

from rich.console import Console
from rich.table import Table

from engine.record import RunRecord

_UNKNOWN = "–"
_WIDTH = 118


def result_text(record: RunRecord) -> str:
    """Some lines of text, without a final line feed."""
    console = Console(width=_WIDTH, highlight=False, color_system=None)
    with console.capture() as captured:
        console.print(_head(record))
        if record.totals:
            console.print(_table(record))
            console.print(_errors(record.totals), soft_wrap=True)
    return captured.get().rstrip("\n")


def _head(record: RunRecord) -> str:
    plan = record.plan
    seconds = (record.totals or {}).get("measured_seconds")
    measured = f", measured {seconds} s" if seconds else ""
    return (
        f"\n{record.name}  ·  run {record.run_id}  ·  {record.state}{measured}\n"
        f"{plan.db_size} store, {plan.threads} users a client, {plan.think_time_ms:g} ms think time\n"
    )


def _table(record: RunRecord) -> Table:
    totals: Any = record.totals
    table = Table(box=None, pad_edge=False)
    table.add_column("client")
    for heading in ("OPM", "orders", "rollback %", "mean ms", "p50", "p95", "p99", "max", "errors", "reconnects"):
        table.add_column(heading, justify="right")
    for client in totals["clients"]:
        table.add_row(client["label"], *_figures(client))
    if len(totals["clients"]) > 1:
        table.add_row("total", *_figures(totals))
    return table


def _figures(figures: Any) -> list[str]:
    times = figures["rt_ms"]
    return [
        _whole(figures.get("opm")),
        _whole(figures.get("orders")),
        _text(figures.get("rollback_pct")),
        *(_text(times.get(key)) for key in ("mean", "p50", "p95", "p99", "max")),
        _whole(sum((figures.get("errors") or {}).values())),
        _whole(figures.get("reconnects")),
    ]


def _errors(totals: Any) -> str:
    errors = totals.get("errors") or {}
    if not errors:
        return "\nno errors"
    return "\nerrors: " + ", ".join(f"{count} {name}" for name, count in sorted(errors.items()))


def _whole(value: int | None) -> str:
    return _UNKNOWN if value is None else f"{value:,}".replace(",", "\u2009")


def _text(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:g}"
