from engine.workload.rows.columns import Kind
from engine.workloads.dvdstore.schema import TABLES


def test_every_table_and_column_of_the_workload_is_there() -> None:
    assert {table: " ".join(column.name for column in columns) for table, columns in TABLES.items()} == {
        "categories": "category categoryname",
        "products": "prod_id category title actor price special common_prod_id",
        "inventory": "prod_id quan_in_stock sales",
        "customers": "customerid firstname lastname address1 address2 city state zip country region email phone"
        " creditcardtype creditcard creditcardexpiration username password age income gender",
        "orders": "orderid orderdate customerid netamount tax totalamount",
        "orderlines": "orderid orderlineid prod_id quantity orderdate",
        "cust_hist": "customerid orderid prod_id",
        "reorder": "prod_id date_low quan_low date_reordered quan_reordered date_expected",
    }


def test_what_is_referred_to_is_loaded_first() -> None:
    order = list(TABLES)
    assert order.index("customers") < order.index("orders") < order.index("orderlines")
    assert order.index("customers") < order.index("cust_hist")


def test_amounts_are_money_and_every_average_fits_its_width() -> None:
    columns = [column for columns in TABLES.values() for column in columns]
    money = {column.name for column in columns if column.kind is Kind.MONEY}
    assert money == {"price", "netamount", "tax", "totalamount"}
    assert [column.name for column in columns if not 0 <= column.mean_width <= column.width] == []
