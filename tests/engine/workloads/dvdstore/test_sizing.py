import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.workloads.dvdstore.stores import sizes


@pytest.mark.parametrize(
    ("text", "customers", "orders", "products"),
    [
        ("1MB", 2_000, 1_200, 1_000),
        ("10MB", 20_000, 12_000, 10_000),
        ("1000MB", 2_000_000, 1_200_000, 1_000_000),
        ("1GB", 2_000_000, 1_200_000, 100_000),
        ("2GB", 4_000_000, 2_400_000, 20_000),
        ("100GB", 200_000_000, 120_000_000, 1_000_000),
        ("1000GB", 2_000_000_000, 1_200_000_000, 10_000_000),
    ],
)
def test_rows_of_every_class(text: str, customers: int, orders: int, products: int) -> None:
    size = DbSize.parse(text)
    assert (size.customers, size.orders, size.products) == (customers, orders, products)
    assert size.orders == 12 * size.orders_per_month


@pytest.mark.parametrize(("text", "meant"), [("S", "10MB"), ("m", "1GB"), ("L", "100GB"), (" 40 gb ", "40GB")])
def test_shorthand_case_and_spaces_are_read(text: str, meant: str) -> None:
    assert str(DbSize.parse(text)) == meant


@given(sizes())
def test_a_size_reads_back_as_it_is_written(size: DbSize) -> None:
    assert DbSize.parse(str(size)) == size


@pytest.mark.parametrize("text", ["", "10", "MB", "0MB", "-1GB", "1.5GB", "10TB", "1001GB", "9999999999MB", "ten MB"])
def test_invalid_size_is_rejected_with_value_and_remedy(text: str) -> None:
    with pytest.raises(BadInput, match=r"^db_size is .* such as 100MB") as refused:
        DbSize.parse(text)
    assert text in str(refused.value)


@given(st.text(max_size=6))
def test_any_text_is_either_a_size_or_bad_input(text: str) -> None:
    try:
        size = DbSize.parse(text)
    except BadInput:
        return
    assert size.customers >= 2_000
