"""Cost and power of results: cost per headline rate (OPM, NOPM …) with the bills, watts with that per watt.

Called by the comparison and by the document of a set. The first result is the baseline of all others.
"""

from collections.abc import Sequence
from decimal import Decimal

from engine.analysis.comparing.change import change_of
from engine.analysis.comparing.economics import BillOfMaterials, cost_per_headline_rate, money_text
from engine.analysis.host.power import DeviceChange, PowerChange, power_change
from engine.figure_text import UNKNOWN, decimal, signed_percent, whole
from engine.report.document import BarChart, Bars, Block, ChartFigure, Column, DataTable, Section, Text
from engine.report.result_tables import against, chart_value, number_columns
from engine.report.results import Result
from engine.report.run_power import WattsOver


def cost_sections(results: Sequence[Result]) -> list[Section]:
    """Cost per headline rate of the results that have a bill, and each bill; empty when none has one."""
    priced = [result for result in results if result.bill is not None]
    if not priced:
        return []
    return [Section(title="Cost", blocks=(_cost_table(priced), *_cost_bars(priced), *_bills(priced)))]


def power_sections(results: Sequence[Result], over: WattsOver) -> list[Section]:
    """Watts and headline rate per watt of the results whose devices are known, and each device's; empty when none
    are."""
    powered = [result for result in results if result.power.devices]
    remarks = [Text(text=f"{result.name}: {remark}") for result in results for remark in _power_remarks(result)]
    if not powered:
        return [Section(title="Power", blocks=tuple(remarks))] if remarks else []
    part = over.in_words(powered[0].headline)
    origin = Text(text=f"Watts of a meter are averaged over {part} of its run; others were typed in.")
    blocks = (_power_table(powered), *_power_bars(powered), _devices_table(powered), *remarks, origin)
    return [Section(title="Power", blocks=blocks)]


def _cost_table(results: Sequence[Result]) -> DataTable:
    costs, label = [_cost(result) for result in results], results[0].headline.label
    return DataTable(
        caption=f"Cost per {label}",
        columns=(
            Column(title="Result"),
            Column(title="Configuration"),
            *number_columns("Cost", label, f"Cost per {label}", *against(costs, "Difference")),
        ),
        rows=tuple(
            (
                result.name,
                result.configuration or UNKNOWN,
                UNKNOWN if result.bill is None else money_text(result.bill.total, result.bill.currency),
                result.headline.text(result.headline_rate),
                UNKNOWN if result.bill is None else money_text(cost, result.bill.currency),
                *against(costs, UNKNOWN if place == 0 else _cost_change(results[0], result)),
            )
            for place, (result, cost) in enumerate(zip(results, costs, strict=True))
        ),
        note=_currency_note(results),
    )


def _cost(result: Result) -> Decimal | None:
    return None if result.bill is None else cost_per_headline_rate(result.bill, result.headline_rate)


def _cost_change(base: Result, result: Result) -> str:
    if base.bill is None or result.bill is None or base.bill.currency != result.bill.currency:
        return UNKNOWN
    return signed_percent(change_of(_cost(result), _cost(base)).percent, 0)


def _currencies(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(result.bill.currency for result in results if result.bill is not None))


def _currency_note(results: Sequence[Result]) -> str:
    found = _currencies(results)
    return f"Costs in {' and '.join(found)} are not compared." if len(found) > 1 else ""


def _cost_bars(results: Sequence[Result]) -> list[Block]:
    currencies, priced = _currencies(results), [result for result in results if _cost(result) is not None]
    if len(currencies) != 1 or len(priced) < 2:
        return []
    headline = priced[0].headline
    cost_per = f"Cost per {headline.label}"
    chart = BarChart(
        y_label=f"{cost_per}, {currencies[0]}",
        groups=tuple(result.name for result in priced),
        bars=(Bars(label=cost_per, values=tuple(float(_cost(result) or 0) for result in priced)),),
        digits=2,
        alt=f"Bars of the cost of {headline.a_one} per {headline.period}; the table of costs holds the figures.",
    )
    return [ChartFigure(caption=cost_per, chart=chart)]


def _bills(results: Sequence[Result]) -> list[DataTable]:
    """The bill of each configuration, once; a published price without items has no bill."""
    bills = {result.bill.name: result.bill for result in results if result.bill is not None and not result.source}
    return [_bill_table(bill) for bill in bills.values()]


def _bill_table(bill: BillOfMaterials) -> DataTable:
    return DataTable(
        caption=f"Bill of materials: {bill.name}",
        columns=(Column(title="Item"), *number_columns("Count", "Price", "Cost")),
        rows=tuple(
            (
                item.name,
                whole(item.count),
                money_text(item.price, bill.currency),
                money_text(item.total, bill.currency),
            )
            for item in bill.items
        ),
        total=("Total", "", "", money_text(bill.total, bill.currency)),
    )


def _power_table(results: Sequence[Result]) -> DataTable:
    """The sums and their differences; idle watts only if at least two results have them."""
    changes = [power_change(result.power, results[0].power) for result in results]
    has_idle = any(change.idle.percent is not None for change in changes[1:])
    label = results[0].headline.label
    titles = ("Active, difference", *(["Idle, difference"] if has_idle else []), f"{label} per W, difference")
    return DataTable(
        caption=f"{label} per watt",
        columns=(
            Column(title="Result"),
            *number_columns("Active, W", "Idle, W", label, f"{label} per W"),
            *number_columns(*against(results, *titles)),
        ),
        rows=tuple(
            (
                result.name,
                decimal(result.power.active_watts, 1),
                decimal(result.power.idle_watts, 1),
                result.headline.text(result.headline_rate),
                result.headline.per_watt_text(result.power.headline_rate_per_watt),
                *against(results, *([UNKNOWN] * len(titles) if place == 0 else _changes(change, has_idle=has_idle))),
            )
            for place, (result, change) in enumerate(zip(results, changes, strict=True))
        ),
    )


def _changes(change: PowerChange, *, has_idle: bool) -> list[str]:
    found = [change.active, *([change.idle] if has_idle else []), change.headline_rate_per_watt]
    return [signed_percent(each.percent) for each in found]


def _power_bars(results: Sequence[Result]) -> list[Block]:
    if sum(result.power.headline_rate_per_watt is not None for result in results) < 2:
        return []
    headline = results[0].headline
    per_watt = f"{headline.label} per watt"
    chart = BarChart(
        y_label=per_watt,
        groups=tuple(result.name for result in results),
        bars=(
            Bars(label=per_watt, values=tuple(chart_value(result.power.headline_rate_per_watt) for result in results)),
        ),
        digits=1,
        alt=f"Bars of the {headline.rate} for each watt; the table of watts holds the figures.",
    )
    return [ChartFigure(caption=per_watt, chart=chart)]


def _devices_table(results: Sequence[Result]) -> DataTable:
    """Each device's watts, and the difference from the device with the same name in the first result."""
    rows, has_changes = [], False
    for place, result in enumerate(results):
        changes = {each.device: each for each in power_change(result.power, results[0].power).devices} if place else {}
        has_changes |= bool(changes)
        for device in result.power.devices:
            change = changes.get(device.device)
            differing = (UNKNOWN, UNKNOWN) if change is None else _device_changes(change)
            watts = (decimal(device.active_watts, 1), decimal(device.idle_watts, 1))
            rows.append((result.name, device.device, *watts, *differing))
    columns = (
        Column(title="Result"),
        Column(title="Device"),
        *number_columns("Active, W", "Idle, W", "Active, difference", "Idle, difference"),
    )
    count = len(columns) if has_changes else len(columns) - 2
    return DataTable(caption="Watts of each device", columns=columns[:count], rows=tuple(row[:count] for row in rows))


def _device_changes(change: DeviceChange) -> tuple[str, str]:
    return signed_percent(change.active.percent), signed_percent(change.idle.percent)


def _power_remarks(result: Result) -> tuple[str, ...]:
    sentence = result.power.sentence if result.power.devices else ""
    return tuple(filter(None, (sentence, *result.power_remarks)))
