"""The calls of each DBMS take the same arguments; their parameters match their procedures'."""

import re

import pytest

from engine.databases.exchange.calls import CallTable
from engine.workloads.brokerage.bindings.mariadb.calls import CALLS as MARIADB
from engine.workloads.brokerage.bindings.postgresql.calls import CALLS as POSTGRESQL
from engine.workloads.brokerage.picks import MOST_BROKERS, MOST_TRADES
from resources import read_text

_PROCEDURES = read_text("sql", "brokerage", "mariadb", "procedures.sql")


def _parameters(name: str) -> list[str]:
    begin = _PROCEDURES.index(f"CREATE PROCEDURE {name}(")
    return re.findall(r"(\w+)_in ", _PROCEDURES[begin : _PROCEDURES.index("BEGIN", begin)])


@pytest.mark.parametrize("calls", [POSTGRESQL, MARIADB])
def test_there_is_a_call_for_each_transaction(calls: CallTable) -> None:
    assert len(calls.calls) == 12
    assert set(calls.calls) == set(MARIADB.calls)


@pytest.mark.parametrize("name", MARIADB.calls)
def test_a_call_has_a_type_for_each_parameter_of_its_procedure(name: str) -> None:
    assert len(MARIADB.calls[name].types) == len(_parameters(name))


def test_lists_are_parameters_where_there_are_no_arrays() -> None:
    looking_up, volume, feed = (MARIADB.calls[name].values for name in ("trade_lookup", "broker_volume", "market_feed"))
    assert looking_up is not None
    assert volume is not None
    assert feed is not None
    assert looking_up(1, [7, 9], 0, "", "a", "b") == (1, 7, 9, *[0] * (MOST_TRADES - 2), 0, "", "a", "b")
    assert volume("Ann|Bob", "Energy") == ("Energy", "Ann", "Bob", *[""] * (MOST_BROKERS - 2))
    assert feed("A,B", [1_00, 2_00], [100, 200]) == ("A,B", "100,200", "100,200")


def test_procedures_number_the_brokers_and_trades_of_a_list_in_order() -> None:
    assert _parameters("broker_volume")[1:] == [f"name{number}" for number in range(1, MOST_BROKERS + 1)]
    for name in ("trade_lookup", "trade_update"):
        assert _parameters(name)[1 : 1 + MOST_TRADES] == [f"number{number}" for number in range(1, MOST_TRADES + 1)]
