from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.types.numeric import Int4

from engine.databases.postgresql.exchange import LibpqAnswer
from engine.databases.postgresql.wire import (
    INT4,
    INT4_ARRAY,
    NUMERIC,
    TEXT,
    ResultRows,
    money_text,
    pack_int4_array,
    packed,
    unpack_int,
)
from tests.engine.databases.postgresql.under_test import PostgreSQLUnderTest

INT4S = st.integers(-(2**31), 2**31 - 1)
CENTS = st.integers(0, 10**12 - 1)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
_ON_SERVER = settings(max_examples=60)


@pytest.fixture(scope="module")
def connection(dbms: PostgreSQLUnderTest) -> Iterator[psycopg.Connection[Any]]:
    with dbms.connection("postgres") as connection:
        yield connection


def _asked(
    connection: psycopg.Connection[Any],
    query: str,
    values: Sequence[bytes | None] = (),
    types: Sequence[int] = (),
    formats: Sequence[pq.Format] = (),
) -> ResultRows:
    result = connection.pgconn.exec_params(query.encode(), values, types, formats, pq.Format.BINARY)
    assert result.status == pq.ExecStatus.TUPLES_OK, result.get_error_message()
    return ResultRows(LibpqAnswer(result))


def _as_psycopg_packs(value: object) -> bytes:
    dumped = Transformer().get_dumper(value, PyFormat.BINARY).dump(value)
    assert dumped is not None
    return bytes(dumped)


@given(INT4S)
def test_an_int4_is_packed_as_psycopg_packs_it_and_can_be_unpacked(value: int) -> None:
    assert packed(value, INT4) == _as_psycopg_packs(Int4(value))
    assert unpack_int(packed(value, INT4)) == value


@given(st.lists(INT4S, min_size=1, max_size=100))
def test_an_int4_array_is_packed_as_psycopg_packs_it(values: list[int]) -> None:
    assert pack_int4_array(values) == _as_psycopg_packs([Int4(value) for value in values])


def test_the_server_reads_int4_arrays_of_any_length(connection: psycopg.Connection[Any]) -> None:
    @given(st.lists(INT4S, max_size=100))
    @_ON_SERVER
    def check(values: list[int]) -> None:
        query = "SELECT n FROM unnest($1) WITH ORDINALITY AS u (n, place) ORDER BY place"
        rows = _asked(connection, query, [pack_int4_array(values)], [INT4_ARRAY], [pq.Format.BINARY])
        assert rows.decoded() == [(value,) for value in values]

    check()


def test_the_server_reads_money_and_its_numerics_are_read_as_cents(connection: psycopg.Connection[Any]) -> None:
    @given(CENTS)
    @_ON_SERVER
    def check(cents: int) -> None:
        query = "SELECT $1::numeric(12, 2), -$1::numeric(12, 2), ($1 * 100)::bigint, ($1 * 100)::bigint::text"
        rows = _asked(connection, query, [money_text(cents)], [NUMERIC], [pq.Format.TEXT])
        assert rows.decoded() == [(cents, -cents, cents, str(cents))]

    check()


@pytest.mark.parametrize(
    ("literal", "cents"),
    [
        ("0", 0),
        ("0.01", 1),
        ("0.10", 10),
        ("1", 1_00),
        ("9999.99", 9_999_99),
        ("10000", 10_000_00),
        ("10000.01", 10_000_01),
        ("-0.01", -1),
        ("99990000", 99_990_000_00),
    ],
)
def test_numerics_at_the_edges_of_their_digits_are_read_as_cents(
    connection: psycopg.Connection[Any], literal: str, cents: int
) -> None:
    assert _asked(connection, f"SELECT {literal}::numeric(12, 2)").decoded() == [(cents,)]


def test_texts_round_trip(connection: psycopg.Connection[Any]) -> None:
    @given(TEXTS)
    @_ON_SERVER
    def check(text: str) -> None:
        query = "SELECT $1, $1::varchar, $1::char(3)"
        ((as_text, as_varchar, as_char),) = _asked(
            connection, query, [text.encode()], [TEXT], [pq.Format.BINARY]
        ).decoded()
        assert (as_text, as_varchar) == (text, text)
        assert as_char == f"{text:3}"[:3]

    check()


def test_integers_of_every_width_and_nulls_are_decoded(connection: psycopg.Connection[Any]) -> None:
    rows = _asked(connection, "SELECT 1::smallint, -2, 3000000000, NULL::integer, NULL::text, NULL::numeric")
    assert rows.decoded() == [(1, -2, 3_000_000_000, None, None, None)]


def test_rows_can_leave_out_leading_columns_and_rows(connection: psycopg.Connection[Any]) -> None:
    result = connection.pgconn.exec_params(
        b"SELECT n, n * 10 FROM generate_series($1, 3) n", [packed(1, INT4)], [INT4], [1], 1
    )
    rows = ResultRows(result, first_column=1, skipped=1)
    assert len(rows) == 2
    assert rows.decoded() == [(20,), (30,)]
