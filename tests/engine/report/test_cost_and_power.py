from decimal import Decimal

from engine.analysis.comparing.economics import BillOfMaterials, Item
from engine.analysis.comparing.references import find_reference, shipped_references
from engine.analysis.host.power import DeviceWatts, power_figures
from engine.record.totals import Totals
from engine.report.cost_and_power import cost_sections, power_sections
from engine.report.document import ChartFigure
from engine.report.results import Result, result_of_reference
from engine.report.run_power import WattsOver
from tests.doubles.samples import OPM
from tests.engine.report.reported import blocks_of, rows_of, table_of, texts_of


def published(name: str) -> Result:
    reference = find_reference(shipped_references(), name)
    assert reference is not None
    return result_of_reference(reference)


def a_result(name: str, opm: int | None, *watts: DeviceWatts, bill: BillOfMaterials | None = None) -> Result:
    return Result(headline=OPM, name=name, totals=Totals(headline_rate=opm), power=power_figures(watts, opm), bill=bill)


def a_bill(price: str, currency: str = "$") -> BillOfMaterials:
    return BillOfMaterials(name=f"for {price}", currency=currency, items=(Item(name="server", price=Decimal(price)),))


def test_cost_per_opm_comes_out_as_published() -> None:
    sections = cost_sections([published("$10,994.88 configuration"), published("$32,013.19 configuration")])
    blocks = blocks_of(sections)
    assert rows_of(table_of(blocks, "Cost per OPM")) == [
        ("$10,994.88 configuration", "–", "$10 994.88", "24 433", "$0.45", "–"),
        ("$32,013.19 configuration", "–", "$32 013.19", "246 255", "$0.13", "−71 %"),
    ]
    assert [block.caption for block in blocks if isinstance(block, ChartFigure)] == ["Cost per OPM"]


def test_a_bill_is_shown_once_with_its_sum() -> None:
    bill = BillOfMaterials(
        name="R630",
        items=(Item(name="server", price=Decimal("9000")), Item(name="SSD", count=6, price=Decimal("332.48"))),
    )
    blocks = blocks_of(cost_sections([a_result("a", 100, bill=bill), a_result("b", 200, bill=bill)]))
    assert rows_of(table_of(blocks, "Bill of materials: R630")) == [
        ("server", "1", "$9 000.00", "$9 000.00"),
        ("SSD", "6", "$332.48", "$1 994.88"),
        ("Total", "", "", "$10 994.88"),
    ]
    assert sum("Bill of materials" in getattr(block, "caption", "") for block in blocks) == 1


def test_costs_in_different_currencies_are_not_compared() -> None:
    results = [a_result("a", 100, bill=a_bill("50")), a_result("b", 100, bill=a_bill("40", "EUR"))]
    blocks = blocks_of(cost_sections(results))
    table = table_of(blocks, "Cost per OPM")
    assert [row[-1] for row in rows_of(table)] == ["–", "–"]
    assert "are not compared" in table.note
    assert not any(isinstance(block, ChartFigure) for block in blocks)


def test_cost_without_orders_is_unknown() -> None:
    table = table_of(blocks_of(cost_sections([a_result("a", 0, bill=a_bill("50"))])), "Cost per OPM")
    assert rows_of(table) == [("a", "–", "$50.00", "0", "–")]


def test_without_bills_and_watts_there_is_no_section() -> None:
    results = [a_result("a", 100), a_result("b", 100)]
    assert cost_sections(results) == []
    assert power_sections(results, WattsOver.MEASURED) == []


def test_watts_are_shown_in_sum_by_device_and_relative_to_the_first() -> None:
    hdd = a_result(
        "HDD",
        24_085,
        DeviceWatts(device="server", active_watts=390, idle_watts=180),
        DeviceWatts(device="storage", active_watts=110, idle_watts=100),
    )
    ssd = a_result("SSD", 186_604, DeviceWatts(device="server", active_watts=400, idle_watts=185))
    blocks = blocks_of(power_sections([hdd, ssd], WattsOver.PEAK))
    assert rows_of(table_of(blocks, "OPM per watt")) == [
        ("HDD", "500.0", "280.0", "24 085", "48.2", "–", "–", "–"),
        ("SSD", "400.0", "185.0", "186 604", "466.5", "−20.0 %", "−33.9 %", "+868.5 %"),
    ]
    titles = [column.title for column in table_of(blocks, "OPM per watt").columns]
    assert titles[-3:] == ["Active, difference", "Idle, difference", "OPM per W, difference"]
    assert rows_of(table_of(blocks, "Watts of each device"))[1:] == [
        ("HDD", "storage", "110.0", "100.0", "–", "–"),
        ("SSD", "server", "400.0", "185.0", "+2.6 %", "+2.8 %"),
    ]
    assert any("the 10 s with the most orders" in text for text in texts_of(blocks))


def test_idle_watts_are_only_held_against_known_ones() -> None:
    known = a_result("known", 100, DeviceWatts(device="server", active_watts=300, idle_watts=200))
    less = a_result("less", 100, DeviceWatts(device="server", active_watts=300, idle_watts=98))
    unknown = a_result("unknown", 100, DeviceWatts(device="server", active_watts=300))
    other = a_result("other", 100, DeviceWatts(device="another", active_watts=300))

    def idle_changes(*results: Result) -> list[str] | None:
        table = table_of(blocks_of(power_sections(results, WattsOver.MEASURED)), "OPM per watt")
        titles = [column.title for column in table.columns]
        if "Idle, difference" not in titles:
            return None
        return [row[titles.index("Idle, difference")] for row in rows_of(table)]

    assert idle_changes(known, less) == ["–", "−51.0 %"]
    assert idle_changes(known, less, unknown) == ["–", "−51.0 %", "–"]
    assert idle_changes(known, unknown) is None
    assert idle_changes(unknown, known) is None
    devices = table_of(blocks_of(power_sections([known, other], WattsOver.MEASURED)), "Watts of each device")
    assert [column.title for column in devices.columns] == ["Result", "Device", "Active, W", "Idle, W"]


def test_watts_that_are_missing_are_named() -> None:
    blocks = blocks_of(power_sections([a_result("a", 100, DeviceWatts(device="storage"))], WattsOver.MEASURED))
    assert rows_of(table_of(blocks, "OPM per watt")) == [("a", "–", "–", "100", "–")]
    assert texts_of(blocks)[0] == "a: Not known: active watts of storage; idle watts of storage."
