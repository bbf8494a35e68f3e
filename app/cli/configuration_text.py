"""A configuration as the terminal prints it: its bill with the total, its watts with their sums, its factors."""

from rich.table import Table

from app.cli.terminal import one_line
from app.cli.text_page import TextPage, plain_table
from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import money_text
from engine.analysis.host.power import power_figures
from engine.figure_text import decimal, whole
from engine.library.configurations import ConfigurationUse


def configuration_text(configuration: Configuration, use: ConfigurationUse, width: int | None = None) -> str:
    """Text of ``width`` columns, without a trailing newline; ``None``: lines are not wrapped."""
    page = TextPage(width)
    page.line(f"\n{one_line(configuration.name)}")
    if configuration.note:
        page.line(one_line(configuration.note))
    if configuration.items:
        page.line()
        page.table(_bill(configuration))
    if configuration.watts:
        page.line()
        page.table(_watts(configuration))
        page.line(power_figures(configuration.watts, None).sentence)
    if configuration.machines:
        page.line(f"\nmachines {', '.join(configuration.machines)}")
    if configuration.factors:
        page.line()
    for name, value in configuration.factors.items():
        page.line(f"{one_line(name):<16} {one_line(value)}")
    page.line(f"\nused by {_used_by(use)}")
    return page.text()


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
    return plain_table((first, *numbers), numbers=numbers, folding=(first,))


def _used_by(use: ConfigurationUse) -> str:
    parts = [f"set '{one_line(name)}'" for name in use.set_names]
    if use.run_ids:
        parts.append("1 run" if len(use.run_ids) == 1 else f"{whole(len(use.run_ids))} runs")
    return ", ".join(parts) or "no run and no set yet"
