"""Bills of materials and cost per OPM: the published figures to the printed cent, exactly."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.change import change_of
from engine.analysis.comparing.economics import BillOfMaterials, Item, cost_per_headline_rate, money_of, money_text
from engine.errors import BadInput

PRICES = st.decimals(0, 10**9, places=2)
ITEMS = st.lists(st.builds(Item, name=st.just("part"), count=st.integers(1, 1_000), price=PRICES), max_size=8)
OLD = BillOfMaterials(
    name="old",
    items=(
        Item(name="server", price=Decimal("8994.90")),
        Item(name="disk", count=6, price=Decimal("416.66")),
        Item(name="discount", price=Decimal("-499.98")),
    ),
)
NEW = BillOfMaterials(name="new", items=(Item(name="server and disks", price=Decimal("32013.19")),))


def test_cost_per_opm_matches_published_costs() -> None:
    old, new = cost_per_headline_rate(OLD, 24_433), cost_per_headline_rate(NEW, 246_255)
    assert OLD.total == Decimal("10994.88")
    assert [money_text(each, "$") for each in (old, new)] == ["$0.45", "$0.13"]
    assert f"{change_of(new, old).percent:.0f}" == "-71"


@pytest.mark.parametrize("opm", [None, 0])
def test_cost_per_opm_without_orders_is_none(opm: int | None) -> None:
    assert cost_per_headline_rate(OLD, opm) is None
    assert money_text(None, "$") == "–"


def test_empty_bill_has_no_cost_per_opm() -> None:
    empty = BillOfMaterials(name="empty")
    assert empty.total == 0
    assert cost_per_headline_rate(empty, 100) is None


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        ("10994.88", "$", "$10\u202f994.88"),
        ("0.445", "EUR", "0.45\u202fEUR"),
        ("-1234.5", "€", "−€1\u202f234.50"),
        ("1234.5", "¥", "¥1\u202f235"),
    ],
)
def test_money_is_printed_to_the_cent(amount: str, currency: str, text: str) -> None:
    assert money_text(Decimal(amount), currency) == text


@pytest.mark.parametrize(
    ("text", "amount"),
    [("10994.88", "10994.88"), ("$10,994.88", "10994.88"), (" 32,013 ", "32013"), ("-€5.5", "-5.5"), ("7", "7")],
)
def test_typed_amounts_are_read(text: str, amount: str) -> None:
    assert money_of(text, "price") == Decimal(amount)


@pytest.mark.parametrize("text", ["", "a lot", "10994,88", "1,2,3", "$", "1e5", "NaN", "12.", "$$5"])
def test_invalid_amounts_are_rejected_with_a_sentence(text: str) -> None:
    with pytest.raises(BadInput, match=r"price is '.*'; give an amount such as 1234\.50"):
        money_of(text, "price")


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"name": " ", "price": Decimal(1)}, "no name"),
        ({"name": "disk", "count": 0, "price": Decimal(1)}, "count of 'disk' is 0"),
        ({"name": "disk", "price": Decimal("NaN")}, "price of 'disk' is NaN"),
    ],
)
def test_invalid_item_is_rejected(item: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Item(**item)  # type: ignore[arg-type]


def test_a_bill_of_another_currency_or_below_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="currency of 'x' is 'dollars'"):
        BillOfMaterials(name="x", currency="dollars")
    with pytest.raises(BadInput, match="adds up to -1"):
        BillOfMaterials(name="x", items=(Item(name="discount", price=Decimal(-1)),))


@given(ITEMS, st.integers(1, 10**8))
def test_cost_per_opm_times_opm_is_the_total(items: list[Item], opm: int) -> None:
    bill = BillOfMaterials(name="bill", items=tuple(items))
    assert bill.total == sum(round(100 * item.price) * item.count for item in items) / Decimal(100)
    cost = cost_per_headline_rate(bill, opm)
    assert (cost is None) is (not items)
    assert cost is None or abs(cost * opm - bill.total) < Decimal("0.000001")


@given(st.decimals(-(10**12), 10**12, places=2))
def test_money_text_is_parsed_by_money_of(amount: Decimal) -> None:
    assert money_of(money_text(amount, "$"), "price") == amount
