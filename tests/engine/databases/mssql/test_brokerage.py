"""A Brokerage store in SQL Server: its files, its sequence, what its resets send, and how lists become parameters."""

import re
from collections.abc import Iterator
from random import Random

import pytest

from engine.databases.database import Timeouts
from engine.databases.mssql.store import SqlServerStore
from engine.databases.progress import Progress
from engine.secrets import Secret
from engine.target.target import Target
from engine.workload.actions import Call
from engine.workloads.brokerage.bindings.mssql.calls import CALLS
from engine.workloads.brokerage.bindings.mssql.store import STORE
from engine.workloads.brokerage.estimate import size_bytes
from engine.workloads.brokerage.market_emulator import MOST_QUOTES
from engine.workloads.brokerage.picks import Picks
from engine.workloads.brokerage.sizing import FIRST_RUN_TRADE, Size
from engine.workloads.brokerage.transactions import TRANSACTIONS
from tests.engine.databases.contract.places import never, silent
from tests.engine.databases.mssql.recorded_store import RecordedStore

_BUILT = FIRST_RUN_TRADE - 1
_NEWEST_TRADE, _NEWEST_ACCOUNT = (rf"^SELECT COALESCE\(MAX\({column}\)" for column in ("t_id", "t_ca_id"))
_LONGEST_TEXT = 4_000  # of a parameter: FreeTDS cuts off the rest without a word
_MB = 1024 * 1024


@pytest.fixture
def store(recorded_store: RecordedStore, target: Target) -> SqlServerStore:
    recorded_store.databases.add("shop")
    _hold(recorded_store, Size(1_000), newest_trade=_BUILT + 900, newest_account=4_990)
    return SqlServerStore(target, Secret("x"), Timeouts(), STORE)


def _hold(recorded_store: RecordedStore, size: Size, *, newest_trade: int, newest_account: int) -> None:
    counts = ", ".join(f'"{table}_rows": {rows}' for table, rows in size.rows().items())
    recorded_store.hold("complete", workload="brokerage", scale=str(size), counts=f"{{{counts}}}")
    recorded_store.answers(_NEWEST_TRADE, [(newest_trade,)])
    recorded_store.answers(_NEWEST_ACCOUNT, [(newest_account,)])


def _pieces(recorded_store: RecordedStore, procedure: str) -> list[tuple[object, ...]]:
    return [sent.values for sent in recorded_store.sent if f"EXECUTE dbo.{procedure} @after, @to" in sent.statement]


def test_a_reset_waits_for_open_transactions_and_restores_holdings_before_it_removes_their_trades(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    told: list[Progress] = []
    store.reset(report_progress=told.append, cancelled=never)
    places = recorded_store.places(
        r"^SELECT TOP \(1\) ca_id FROM dbo.customer_account WITH \(TABLOCKX, HOLDLOCK\)",
        r"^SELECT TOP \(1\) t_id FROM dbo.trade WITH \(TABLOCKX, HOLDLOCK\)",
        "^EXECUTE dbo.restore_holdings 0, 2147483647$",
        f"^EXECUTE dbo.remove_trades {_BUILT}, 2147483647$",
        "^EXECUTE dbo.undo_maintenance$",
        "^ALTER SEQUENCE dbo.trade_number RESTART$",
        "SET state = 'complete'",
        "COMMIT",
    )
    assert places == sorted(places)
    assert [text for _, text in recorded_store.log].count("COMMIT") == 1
    assert recorded_store.sent_like("@after") == []
    assert [progress.doing for progress in told][:4] == [
        "waiting for open transactions",
        "waiting for open transactions",
        "restoring holdings",
        "removing trades",
    ]


def test_after_a_long_run_trades_are_removed_in_pieces_of_one_transaction_each(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    _hold(recorded_store, Size(1_000), newest_trade=_BUILT + 45_000, newest_account=5_000)
    store.reset(report_progress=silent, cancelled=never)
    assert _pieces(recorded_store, "restore_holdings") == [(0, 5_000)]
    assert _pieces(recorded_store, "remove_trades") == [
        (_BUILT, _BUILT + 20_000),
        (_BUILT + 20_000, _BUILT + 40_000),
        (_BUILT + 40_000, _BUILT + 45_000),
    ]
    places = recorded_store.places(
        "SET state = 'building'",
        "restore_holdings @after",
        "remove_trades @after",
        "SET state = 'complete'",
        "^COMMIT$",
    )
    assert places == sorted(places)
    ((_, piece), *_) = recorded_store.sent_like("remove_trades @after")
    assert "BEGIN TRANSACTION;\nEXECUTE dbo.remove_trades @after, @to;\nCOMMIT TRANSACTION;" in piece


def test_a_large_stores_holdings_are_restored_by_accounts(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    _hold(recorded_store, Size(5_000), newest_trade=_BUILT + 900, newest_account=12_000)
    store.reset(report_progress=silent, cancelled=never)
    assert _pieces(recorded_store, "restore_holdings") == [(0, 5_000), (5_000, 10_000), (10_000, 12_000)]


def test_the_sequence_is_made_with_the_procedures_and_dropped_with_them(
    store: SqlServerStore, recorded_store: RecordedStore
) -> None:
    store.drop()
    sequence = f"CREATE SEQUENCE dbo.trade_number AS int START WITH {FIRST_RUN_TRADE}"
    assert STORE.script("procedures").index(sequence) < STORE.script("procedures").index("CREATE PROCEDURE")
    places = recorded_store.places(
        "^DROP PROCEDURE IF EXISTS dbo.trade_order", "^DROP SEQUENCE IF EXISTS dbo.trade_number", "^DROP TABLE"
    )
    assert places == sorted(places)


def test_the_files_have_room_for_the_scale() -> None:
    layout = STORE.layout("5000C10D")
    data_mb = sum(group.size_mb for group in layout.filegroups.values())
    assert 1.4 * size_bytes("5000C10D") <= data_mb * _MB < 1.45 * size_bytes("5000C10D")
    assert layout.orders.size_mb > layout.misc.size_mb > layout.customers.size_mb


def test_the_load_user_may_call_the_transactions_alone(store: SqlServerStore, recorded_store: RecordedStore) -> None:
    recorded_store.permit_accounts()
    assert store.load_account() is not None
    assert set(recorded_store.granted) == {each.id for each in TRANSACTIONS} - {"rolled_back"} == set(CALLS.calls)


def _calls() -> Iterator[Call]:
    picks = Picks(Size(5_000), Random(3))
    for _ in range(60):
        yield from (pick() for pick in picks.calls.values())
    yield Call("market_feed", ("ABCDE,BCDEF", [25_00, 30_00], [100, 0]))
    yield Call("trade_result", (FIRST_RUN_TRADE, 25_00))
    yield Call("trade_cleanup", ())
    yield picks.maintenance(11)


def test_calls_fit_the_parameters_of_their_procedures() -> None:
    called = set()
    for call in _calls():
        called.add(call.name)
        prepared = CALLS.calls[call.name]
        values = call.arguments if prepared.values is None else prepared.values(*call.arguments)
        parameters = _parameters(prepared.statement)
        assert sum(not optional for _, _, optional in parameters) <= len(values) <= len(parameters)
        for value, (kind, width, _) in zip(values, parameters, strict=False):
            assert isinstance(value, int if kind in ("int", "smallint") else str), (call, kind)
            assert kind != "varchar" or len(value) <= int(width)
    assert called == set(CALLS.calls)


def _parameters(procedure: str) -> list[tuple[str, str, str]]:
    """The type, the width of a text and the default of each parameter."""
    text = STORE.script("procedures")
    begin = text.index(f"CREATE PROCEDURE dbo.{procedure}\n")
    head = text[begin : text.index("\nAS\n", begin)]
    return re.findall(r"^    @\w+ (\w+)(?:\((\d+)\))?( = [^,\n]+)?,?$", head, re.MULTILINE)


def test_lists_are_texts_that_no_driver_cuts_off() -> None:
    feed, lookup, volume = (CALLS.calls[name].values for name in ("market_feed", "trade_lookup", "broker_volume"))
    assert feed is not None
    assert lookup is not None
    assert volume is not None
    assert feed("ABCDE,ZZZ", [25_00, 1], [100, 0]) == ("ABCDE  00000250000000100ZZZ    00000000100000000",)
    (most,) = feed(",".join(["ABCDE"] * MOST_QUOTES), [25_00] * MOST_QUOTES, [100] * MOST_QUOTES)
    assert len(most) <= _LONGEST_TEXT
    assert lookup(1, [7, 86_400_000], 0, "", "2025-01-06 09:00:00", "2100-01-01 00:00:00") == (
        1, "00000000070086400000", 0, "", "2025-01-06 09:00:00", "2100-01-01 00:00:00",
    )  # fmt: skip
    assert volume("Ada Abel|Otto Orth 2", "Energy") == ("Energy", "Ada Abel", "Otto Orth 2")
