"""What a Brokerage store is on every DBMS: its tables, checks and counts."""

from collections.abc import Mapping

from engine.databases.checking import equal
from engine.databases.conditions import condition_checks, consistency
from engine.databases.definition import Check, Recorded, StoreDefinition, Table, no_script
from engine.databases.snapshot import Reader
from engine.workloads.brokerage.conditions import CONDITIONS
from engine.workloads.brokerage.estimate import size_bytes
from engine.workloads.brokerage.rows import BrokerageRows
from engine.workloads.brokerage.schema import INDEX_KEYS, TABLES
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE, Size
from engine.workloads.brokerage.user import ORDER_KEY, RESULT_KEY

_BUILT = FIRST_RUN_TRADE - 1
_NUMBERED = {
    "trade": "t_id",
    "trade_history": "th_t_id",
    "settlement": "se_t_id",
    "cash_transaction": "ct_t_id",
    "holding_history": "hh_t_id",
}
"""The tables that runs add rows to, and the column with the number of the trade."""
_CHANGED = ("holding", "holding_summary", "trade_request")
"""The tables whose rows runs add and remove."""
_IN_NO_ORDER = (
    "trade_type",
    "exchange",
    "charge",
    "commission_rate",
    "company_competitor",
    "security",
    "last_trade",
    "daily_market",
    "account_permission",
    "watch_item",
    "trade_history",
    "holding_summary",
)
"""The tables whose rows are not generated in the order of their primary keys."""
_LARGE = (
    "trade", "daily_market", "trade_history", "cash_transaction", "settlement", "holding_history", "news_item",
)  # fmt: skip
"""The tables that take longest to load, the longest first."""
_PLACES = {ORDER_KEY: "orders", RESULT_KEY: "completed trades"}


def _rows(scale: str, seed: int) -> BrokerageRows:
    return BrokerageRows(Size.parse(scale), seed)


def _built_rows(store: Reader, counts: Mapping[str, int]) -> list[Check]:
    """Checks that each table still has the number of rows that the build has made."""
    return [
        equal(
            f"rows of {table}",
            counts[f"{table}_rows"],
            store.count(f"{table} WHERE {_NUMBERED[table]} <= {_BUILT}" if table in _NUMBERED else table),
        )
        for table in TABLES
        if table not in _CHANGED
    ]


_COMPLETED = "t_st_id = 'CMPT'"
_RECORDED = (
    f"SELECT {ORDER_KEY} AS key_, t_id AS number_, t_ca_id AS check_ FROM trade WHERE t_id > {_BUILT}"  # noqa: S608
    f" AND {ORDER_KEY} > {{after}} AND {ORDER_KEY} <= {{to}}"
    f" UNION ALL SELECT {RESULT_KEY}, t_id, t_ca_id FROM trade WHERE t_id > {_BUILT} AND {_COMPLETED}"
    f" AND {RESULT_KEY} > {{after}} AND {RESULT_KEY} <= {{to}}"
)
_NUMBERS = (
    f"((SELECT count(*) FROM trade WHERE t_id > {_BUILT})"  # noqa: S608 - our own text
    " + (SELECT coalesce(sum(CAST(b_num_trades AS bigint)), 0) FROM broker))"
)

STORE = StoreDefinition(
    workload="brokerage",
    version=1,
    tables={
        **{
            name: Table(
                title=name.replace("_", " "),
                columns=columns,
                order=() if name in _IN_NO_ORDER else INDEX_KEYS[name][0],
            )
            for name, columns in TABLES.items()
            if name != "trade_request"
        },
        "trade_request": Table(title="trade requests"),
        "last_trade_pristine": Table(title="last trades as built"),
        "maintained": Table(title="maintained values"),
    },
    # The large tables first, so that both loading threads end at about the same time.
    load_order=(*_LARGE, *(name for name in TABLES if name not in (*_LARGE, "trade_request"))),
    script=no_script,
    procedures=(
        "trade_order",
        "trade_result",
        "market_feed",
        "broker_volume",
        "customer_position",
        "market_watch",
        "security_detail",
        "trade_lookup",
        "trade_status",
        "trade_update",
        "trade_cleanup",
        "data_maintenance",
    ),
    helpers=("chosen_trades", "cash_name", "maintain", "undo_maintenance"),
    indexes=(
        *((name, f"{name}_pkey") for name in (*TABLES, "last_trade_pristine", "maintained")),
        ("trade", "ix_trade_account"),
        ("trade", "ix_trade_symbol"),
        ("holding_history", "ix_change_holding"),
        ("holding", "ix_holding_account"),
        ("company", "ix_company_name"),
        ("company", "ix_company_industry"),
        ("security", "ix_security_company"),
        ("customer", "ix_customer_tax_id"),
        ("broker", "ix_broker_name"),
        ("customer_account", "ix_account_customer"),
        ("customer_account", "ix_account_broker"),
        ("watch_list", "ix_watch_list_customer"),
        ("trade_request", "ix_request_symbol"),
        ("trade_request", "ix_request_broker"),
    ),
    references=(
        "fk_industry_sector",
        "fk_address_zip",
        "fk_exchange_address",
        "fk_charge_type",
        "fk_commission_type",
        "fk_commission_exchange",
        "fk_company_industry",
        "fk_company_address",
        "fk_company_status",
        "fk_competitor_company",
        "fk_competitor_other",
        "fk_competitor_industry",
        "fk_security_company",
        "fk_security_exchange",
        "fk_security_status",
        "fk_last_trade_security",
        "fk_daily_security",
        "fk_financial_company",
        "fk_news_item",
        "fk_news_company",
        "fk_customer_address",
        "fk_customer_status",
        "fk_customer_tax",
        "fk_tax_customer",
        "fk_broker_status",
        "fk_account_broker",
        "fk_account_customer",
        "fk_permission_account",
        "fk_watch_list_customer",
        "fk_watch_item_list",
        "fk_watch_item_security",
        "fk_trade_status",
        "fk_trade_type",
        "fk_trade_security",
        "fk_trade_account",
        "fk_history_trade",
        "fk_history_status",
        "fk_request_trade",
        "fk_request_type",
        "fk_request_security",
        "fk_request_broker",
        "fk_settlement_trade",
        "fk_cash_trade",
        "fk_summary_account",
        "fk_summary_security",
        "fk_holding_trade",
        "fk_change_trade",
        "fk_change_holding",
        "fk_holding_summary",
    ),
    rows=_rows,
    size_bytes=size_bytes,
    checks={"row counts": _built_rows, **condition_checks(CONDITIONS)},
    recorded=Recorded(
        query=_RECORDED,
        highest_key=f"SELECT {RESULT_KEY}",
        built=_BUILT,
        place_of=_PLACES.__getitem__,
    ),
    consistency=consistency(CONDITIONS),
    high_water=f"SELECT {_NUMBERS}",
    added_above=f"SELECT {_NUMBERS} - ?",
    beyond={
        "trades": f"trade WHERE t_id > {_BUILT}",
        "completed trades": f"trade WHERE t_id > {_BUILT} AND {_COMPLETED}",
    },
)
"""The common part; each DBMS's binding replaces ``script``."""
