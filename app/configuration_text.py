"""A configuration as the terminal prints it: its bill with the total, its watts with their sums, its factors."""

from rich.console import Console
from rich.table import Table

from app.terminal import one_line
from engine.analysis.economics import money_text
from engine.analysis.power import power_figures
from engine.configuration import Configuration
from engine.figure_text import decimal, whole
from engine.library.configurations import ConfigurationUse

_WIDE = 118


def configuration_text(configuration: Configuration, use: ConfigurationUse, width: int | None = None) -> str:
    """Some lines of text of ``width`` columns, without a final line feed; ``None`` is as wide as it takes."""
    console = Console(width=width or _WIDE, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as captured:
        console.print(f"\n{one_line(configuration.name)}", soft_wrap=True)
        if configuration.note:
            console.print(one_line(configuration.note), soft_wrap=True)
        if configuration.items:
            console.print()
            console.print(_bill(configuration))
        if configuration.watts:
            console.print()
            console.print(_watts(configuration))
            console.print(power_figures(configuration.watts, None).sentence, soft_wrap=True)
        if configuration.factors:
            console.print()
        for name, value in configuration.factors.items():
            console.print(f"{one_line(name):<16} {one_line(value)}", soft_wrap=True)
        console.print(f"\nused by {_used_by(use)}", soft_wrap=True)
    return "\n".join(line.rstrip() for line in captured.get().rstrip().split("\n"))


def _bill(configuration: Configuration) -> Table:
    table, currency = _columns("item", "count", "price", "total"), configuration.currency
    for item in configuration.items:
        table.add_row(
            one_line(item.name), whole(item.count), money_text(item.price, currency), money_text(item.total, currency)
        )
    table.add_row("total", "", "", money_text(configuration.bill().total, currency))
    return table


def _watts(configuration: Configuration) -> Table:
    table, power = _columns("device", "active W", "idle W"), power_figures(configuration.watts, None)
    for device in power.devices:
        table.add_row(one_line(device.device), decimal(device.active_watts), decimal(device.idle_watts))
    table.add_row("total", decimal(power.active_watts), decimal(power.idle_watts))
    return table


def _columns(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _used_by(use: ConfigurationUse) -> str:
    parts = [f"set '{one_line(name)}'" for name in use.set_names]
    if use.run_ids:
        parts.append("1 run" if len(use.run_ids) == 1 else f"{whole(len(use.run_ids))} runs")
    return ", ".join(parts) or "no run and no set yet"
