"""The calls of each DBMS take the same arguments; their parameters match their procedures'."""

import re

import pytest

from engine.databases.exchange.calls import CallTable
from engine.workloads.wholesale.bindings.mariadb.calls import CALLS as MARIADB
from engine.workloads.wholesale.bindings.mssql.calls import CALLS as MSSQL
from engine.workloads.wholesale.bindings.postgresql.calls import CALLS as POSTGRESQL
from engine.workloads.wholesale.picks import PACING
from resources import read_text

_LINES = [(2, 30, 4), (3, 10, 1), (3, 20, 7)]
_ARGUMENTS = (5, 6, 7, _LINES)


@pytest.mark.parametrize("calls", [POSTGRESQL, MARIADB, MSSQL])
def test_there_is_a_call_for_each_transaction(calls: CallTable) -> None:
    assert set(calls.calls) == set(PACING)


def test_an_order_s_lines_are_arrays_on_postgresql() -> None:
    values = POSTGRESQL.calls["new_order"].values
    assert values is not None
    assert values(*_ARGUMENTS) == (5, 6, 7, [30, 10, 20], [2, 3, 3], [4, 1, 7])


def test_an_order_s_lines_are_parameters_elsewhere() -> None:
    flat = [2, 30, 4, 3, 10, 1, 3, 20, 7]
    on_mariadb, on_mssql = MARIADB.calls["new_order"].values, MSSQL.calls["new_order"].values
    assert on_mariadb is not None
    assert on_mssql is not None
    assert on_mariadb(*_ARGUMENTS) == (5, 6, 7, 3, *flat, *[0] * (45 - len(flat)))
    assert on_mssql(*_ARGUMENTS) == (5, 6, 7, 3, *flat)


@pytest.mark.parametrize(
    ("dbms", "procedure", "name"),
    [("mariadb", "new_order", r"([a-z]+)\d+_in"), ("mssql", "dbo.place_order", r"@([a-z]+)_\d+")],
)
def test_procedures_take_a_line_s_fields_in_their_order(dbms: str, procedure: str, name: str) -> None:
    text = read_text("sql", "wholesale", dbms, "procedures.sql")
    begin = text.index(f"CREATE PROCEDURE {procedure}")
    head = text[begin : text.index("BEGIN", begin)]
    fields = re.findall(rf"{name} int", head)
    assert fields == ["supplier", "item", "quantity"] * 15
