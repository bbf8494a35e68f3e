"""Asking and answering over a real connection, in both ways; and the compiled way's reading of what a server sends."""

import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import pq
from psycopg.pq.abc import PGconn

from engine.databases.arrival import wall_clock
from engine.databases.database import Timeouts
from engine.databases.exchange.calls import Answer
from engine.databases.postgresql import exchange as ways
from engine.databases.postgresql.connection import connect_any
from engine.databases.postgresql.exchange import Exchange, LibpqExchange, exchange_over
from engine.databases.postgresql.preparing import prepare_all
from engine.databases.postgresql.session import refusal
from engine.databases.postgresql.wire import INT4, INT4_ARRAY, NUMERIC, TEXT, Parameter, pack_int4_array, packed
from engine.lab.server import EmbeddedServer
from engine.target.target import Target
from tests.doubles.postgresql_messages import READY, columns, int4, message, prepared, row, told
from tests.waiting import wait_until

_INT2, _INT8, _TIMESTAMP = 21, 20, 1114
_STATEMENTS = {
    b"sum": ("SELECT $1 + $2 AS sum", (INT4, INT4)),
    b"rows": ("SELECT n, nullif(n, 2), repeat('ab', n) FROM generate_series(1, $1) n", (INT4,)),
    b"long": ("SELECT repeat($1, $2)", (TEXT, INT4)),
    b"length": ("SELECT length($1)", (TEXT,)),
    b"same": ("SELECT $1, $2, $3, $4", (INT4, TEXT, TEXT, INT4_ARRAY)),
    b"pairs": ("SELECT n, -n FROM generate_series(1, $1) n", (INT4,)),
    b"joined": (
        "SELECT c.n, b.m, b.text FROM generate_series(1, $1) c (n) LEFT JOIN"
        " (SELECT m, repeat('x', m) AS text FROM generate_series(1, $2) m) b ON true ORDER BY m",
        (INT4, INT4),
    ),
    b"money": ("SELECT ($1 + 0)::text", (NUMERIC,)),
    b"widths": ("SELECT $1, $2, $3, $4", (_INT2, _INT8, _TIMESTAMP, NUMERIC)),
    b"raise": ("SELECT pg_temp.raise($1)", (TEXT,)),
    b"sleep": ("SELECT pg_sleep($1)", (INT4,)),
    b"nothing": ("SET work_mem = '1MB'", ()),
}
_RAISE = (
    "CREATE FUNCTION pg_temp.raise(what text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
    " IF what = 'error' THEN RAISE EXCEPTION 'no, %', what USING ERRCODE = '40P01'; END IF;"
    " IF what = 'warning' THEN RAISE WARNING 'beware of %', what; END IF;"
    " RAISE NOTICE 'by the way'; RETURN 1; END $$"
)
_LONG_ENOUGH_MS = 60_000
_MOST_BYTES = 65_536


class Talk:
    """A connection that libpq has made, and one way of asking over it."""

    def __init__(self, server: EmbeddedServer, way: Callable[[PGconn], Exchange]) -> None:
        target = server.target("postgres")
        self.connection, _ = connect_any(target, server.secret, Timeouts())
        self.connection.exec_(_RAISE.encode())
        prepare_all(self.connection, _STATEMENTS, target.hosts[0], Timeouts().connect_seconds)
        self.exchange = way(self.connection)

    def send(self, name: bytes, *values: Parameter) -> None:
        self.exchange.prepare(prepared(name, _STATEMENTS[name][1]), values)
        self.exchange.send()

    def receive(self) -> Answer:
        return _awaited(self.connection, self.exchange)

    def asked(self, name: bytes, *values: Parameter) -> Answer:
        self.send(name, *values)
        return self.receive()

    def close(self) -> None:
        self.exchange.close()
        self.connection.finish()


def compiled(connection: PGconn) -> Exchange:
    if ways.compiled is None:
        pytest.skip("this environment was set up without a C compiler")
    return ways.compiled.Exchange(connection.socket, "postgresql")


@pytest.fixture(params=[compiled, LibpqExchange], ids=["compiled", "libpq"])
def way(request: pytest.FixtureRequest) -> Callable[[PGconn], Exchange]:
    chosen: Callable[[PGconn], Exchange] = request.param
    return chosen


@pytest.fixture
def talk(embedded_server: EmbeddedServer, way: Callable[[PGconn], Exchange]) -> Iterator[Talk]:
    with ExitStack() as ended:
        talk = Talk(embedded_server, way)
        ended.callback(talk.close)
        yield talk


@pytest.fixture
def administrator(embedded_server: EmbeddedServer) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    target = embedded_server.target("postgres")
    with psycopg.connect(
        host=target.hosts[0].name, port=target.hosts[0].port, user=target.user, dbname=target.database,
        password=embedded_server.secret.reveal(), autocommit=True,
    ) as connection:  # fmt: skip
        yield connection


def test_consecutive_calls_are_answered(talk: Talk) -> None:
    for number in range(100):
        answer = talk.asked(b"sum", number, -7)
        assert (answer.status, answer.ntuples, answer.nfields) == (pq.ExecStatus.TUPLES_OK, 1, 1)
        assert answer.integer(0, 0) == number - 7
        assert answer.ftype(0) == INT4
    assert talk.exchange.is_open


@given(
    number=st.integers(-(2**31), 2**31 - 1),
    text=st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    numbers=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1),
)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_parameters_arrive_as_they_were_given(talk: Talk, number: int, text: str, numbers: list[int]) -> None:
    answer = talk.asked(b"same", number, text, text.encode(), numbers)
    found = [answer.get_value(0, column) for column in range(4)]
    assert found == [packed(number, INT4), text.encode(), text.encode(), pack_int4_array(numbers)]


@given(st.integers(0, 10**11))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_whole_number_as_text_is_an_amount_in_cents(talk: Talk, cents: int) -> None:
    talk.exchange.prepare(prepared(b"money", (NUMERIC,)), (cents,))
    talk.exchange.send()
    assert talk.receive().get_value(0, 0) == f"{cents // 100}.{cents % 100:02}".encode()


@pytest.mark.parametrize("value", [0, -1, 2**15 - 1, -(2**15)])
def test_integers_of_other_widths_timestamps_and_decimals_arrive(talk: Talk, value: int) -> None:
    answer = talk.asked(b"widths", value, value << 40, "2024-02-29 23:59:58.5", "12.345")
    assert [answer.integer(0, 0), answer.integer(0, 1)] == [value, value << 40]
    assert answer.get_value(0, 2) == struct.pack(">q", 762_566_398_500_000)
    assert [answer.ftype(column) for column in range(4)] == [_INT2, _INT8, _TIMESTAMP, NUMERIC]


def test_every_parameter_may_be_null(talk: Talk) -> None:
    answer = talk.asked(b"widths", None, None, None, None)
    assert [answer.get_value(0, column) for column in range(4)] == [None] * 4
    answer = talk.asked(b"same", None, None, "", None)
    assert [answer.get_value(0, column) for column in range(4)] == [None, None, b"", None]


def test_rows_are_counted_at_once_and_decoded_on_demand(talk: Talk) -> None:
    rows = talk.asked(b"rows", 3).rows()
    assert talk.asked(b"sum", 1, 1).rows().decoded() == [(2,)], "the rows before are those of their own answer"
    assert (len(rows), rows.decoded()) == (3, [(1, 1, "ab"), (2, None, "abab"), (3, 3, "ababab")])
    assert (len(talk.asked(b"rows", 0).rows()), talk.asked(b"rows", 0).rows().decoded()) == (0, [])


@pytest.mark.parametrize(
    ("customers", "bought", "number", "rows"),
    [
        (1, 3, 1, [(1, "x"), (2, "xx"), (3, "xxx")]),
        (1, 1, 1, [(1, "x")]),
        (1, 0, 1, []),
        (0, 3, None, []),
    ],
)
def test_the_first_number_and_what_stands_beside_it_in_all_rows(
    talk: Talk, customers: int, bought: int, number: int | None, rows: list[tuple[int, str]]
) -> None:
    found, beside = talk.asked(b"joined", customers, bought).integer_and_rows()
    assert (found, len(beside), beside.decoded()) == (number, len(rows), rows)


def test_first_value_that_is_no_integer_is_an_error(talk: Talk) -> None:
    with pytest.raises((ValueError, struct.error)):
        talk.asked(b"long", "x", 5).integer_and_rows()


def test_pairs_of_int4s_and_nulls_are_read(talk: Talk) -> None:
    answer = talk.asked(b"pairs", 3)
    assert answer.integer_pairs() == {1: -1, 2: -2, 3: -3}
    assert talk.asked(b"rows", 2).integer(1, 1) is None


def test_rows_have_their_values_types_and_nulls(talk: Talk) -> None:
    answer = talk.asked(b"rows", 3)

    assert [answer.ftype(column) for column in range(answer.nfields)] == [INT4, INT4, TEXT]
    assert [[answer.get_value(row, column) for column in range(3)] for row in range(answer.ntuples)] == [
        [packed(1, INT4), packed(1, INT4), b"ab"],
        [packed(2, INT4), None, b"abab"],
        [packed(3, INT4), packed(3, INT4), b"ababab"],
    ]


def test_an_answer_may_be_without_rows_or_columns(talk: Talk) -> None:
    assert (talk.asked(b"rows", 0).ntuples, talk.asked(b"rows", 0).nfields) == (0, 3)
    nothing = talk.asked(b"nothing")
    assert (nothing.status, nothing.ntuples, nothing.nfields) == (pq.ExecStatus.COMMAND_OK, 0, 0)


def test_an_answer_outlives_the_next_one_and_its_connection(
    embedded_server: EmbeddedServer, way: Callable[[PGconn], Exchange]
) -> None:
    talk = Talk(embedded_server, way)
    first = talk.asked(b"rows", 2)
    talk.asked(b"rows", 9)
    talk.close()
    assert first.get_value(1, 2) == b"abab"


def test_long_answers_are_received_whole(talk: Talk) -> None:
    assert talk.asked(b"long", b"spindle", 300_000).get_value(0, 0) == b"spindle" * 300_000
    assert talk.asked(b"rows", 2_000).get_value(1_999, 2) == b"ab" * 2_000
    assert talk.asked(b"sum", 1, 1).integer(0, 0) == 2


def test_a_question_longer_than_the_systems_buffers_is_sent_whole(talk: Talk) -> None:
    assert talk.asked(b"length", b"x" * 20_000_000).integer(0, 0) == 20_000_000


def test_error_is_an_answer_and_the_connection_stays_usable(talk: Talk) -> None:
    answer = talk.asked(b"raise", b"error")

    assert answer.status == pq.ExecStatus.FATAL_ERROR
    assert answer.error_field(pq.DiagnosticField.SQLSTATE) == b"40P01"
    assert answer.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) == b"no, error"
    assert answer.error_field(pq.DiagnosticField.MESSAGE_HINT) is None
    assert talk.exchange.is_open
    good = talk.asked(b"raise", b"nothing")
    assert good.status == pq.ExecStatus.TUPLES_OK
    assert good.error_field(pq.DiagnosticField.SQLSTATE) is None


def test_a_warning_is_kept_with_its_answer_alone(talk: Talk) -> None:
    assert talk.exchange.warning is None
    talk.asked(b"raise", b"warning")
    assert talk.exchange.warning == b"beware of warning"
    talk.asked(b"raise", b"nothing")
    assert talk.exchange.warning is None


def test_session_ended_during_a_request_reports_the_reason(
    talk: Talk, administrator: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    talk.send(b"sleep", 60)
    administrator.execute("SELECT pg_terminate_backend(%s)", (talk.connection.backend_pid,))
    answer = talk.receive()

    assert answer.error_field(pq.DiagnosticField.SQLSTATE) == b"57P01"
    assert not talk.exchange.is_open
    with pytest.raises(ConnectionError):
        talk.asked(b"nothing")


def test_session_ended_while_idle_reports_the_reason_at_the_next_request(
    talk: Talk, administrator: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    administrator.execute("SELECT pg_terminate_backend(%s, 10000)", (talk.connection.backend_pid,))
    assert talk.asked(b"nothing").error_field(pq.DiagnosticField.SQLSTATE) == b"57P01"
    assert not talk.exchange.is_open


def test_connection_cut_during_a_request_is_lost(
    talk: Talk, administrator: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    process = talk.connection.backend_pid
    talk.send(b"sleep", 60)
    with socket.fromfd(talk.connection.socket, socket.AF_INET, socket.SOCK_STREAM) as copy:
        copy.shutdown(socket.SHUT_RDWR)
    with pytest.raises(ConnectionError, match="server closed the connection"):
        talk.receive()
    assert not talk.exchange.is_open
    # It would sleep on, and other tests would find it.
    administrator.execute("SELECT pg_terminate_backend(%s, 10000)", (process,))


def test_answer_is_incomplete_before_ready_for_query(way: Callable[[PGconn], Exchange]) -> None:
    """The server commits after it has told the result, so a connection that is lost between the two leaves it open."""
    result = message(b"2") + columns([("o", INT4)]) + row([int4(7)]) + message(b"C", b"CALL\0")
    with _told_and_gone(result) as connection, closing(way(connection)) as exchange:
        exchange.prepare(prepared(b"purchase"), ())
        exchange.send()
        with pytest.raises(ConnectionError, match="server closed the connection"):
            _awaited(connection, exchange)


def test_message_before_the_close_is_an_answer(way: Callable[[PGconn], Exchange]) -> None:
    error = told(b"E", {"S": "FATAL", "V": "FATAL", "C": "57P01", "M": "it ends"})
    with _told_and_gone(error) as connection, closing(way(connection)) as exchange:
        exchange.prepare(prepared(b"purchase"), ())
        exchange.send()
        assert _awaited(connection, exchange).error_field(pq.DiagnosticField.SQLSTATE) == b"57P01"


def _awaited(connection: PGconn, exchange: Exchange) -> Answer:
    poll = select.poll()
    poll.register(connection.socket, select.POLLIN)
    while (answer := exchange.receive()) is None:
        assert poll.poll(_LONG_ENOUGH_MS), "the server answers"
    return answer


@contextmanager
def _told_and_gone(said: bytes) -> Iterator[PGconn]:
    """libpq's connection to a server that lets anybody in, says so much to the first question, and closes."""

    def serve() -> None:
        client, _ = door.accept()
        with client:
            client.recv(_MOST_BYTES)
            client.sendall(message(b"R", int4(0)) + READY)
            client.recv(_MOST_BYTES)
            client.sendall(said)

    with socket.create_server(("127.0.0.1", 0)) as door:
        server = threading.Thread(target=serve, name="told and gone", daemon=True)
        server.start()
        target, _ = Target.parse(f"postgresql://x@127.0.0.1:{door.getsockname()[1]}/x?sslmode=disable")
        connection, _ = connect_any(target, None, Timeouts())
        try:
            yield connection
        finally:
            connection.finish()
            server.join(10)


def test_sent_at_uses_pythons_monotonic_clock(talk: Talk) -> None:
    before = time.monotonic()
    talk.send(b"nothing")
    assert before <= talk.exchange.sent_at <= time.monotonic()
    talk.receive()


def test_arrival_is_between_request_and_read(talk: Talk) -> None:
    wait_until(lambda: bool(talk.asked(b"nothing")) and talk.exchange.arrived > 0, "what arrives is stamped")
    before = wall_clock()
    talk.send(b"nothing")
    assert select.select([talk.connection.socket], [], [], 10)[0]
    after = wall_clock()
    wait_until(lambda: wall_clock() > after + 0.05, "it waits")
    talk.receive()

    assert before <= talk.exchange.arrived <= after


@pytest.mark.parametrize(
    ("name", "types", "values"),
    [
        ("sum", (), ()),
        (b"sum", [], ()),
        (b"sum", (), []),
        (b"sum", ("x",), ()),
        (b"sum", (INT4,), ()),
        (b"sum", (INT4,), (1.5,)),
        (b"sum", (INT4,), ("1",)),
        (b"sum", (TEXT,), (1,)),
        (b"sum", (INT4_ARRAY,), ((1,),)),
        (b"sum", (INT4_ARRAY,), (["x"],)),
    ],
)
def test_compiled_exchange_rejects_other_parameter_types(
    embedded_server: EmbeddedServer, name: object, types: object, values: object
) -> None:
    talk = Talk(embedded_server, compiled)
    with pytest.raises(TypeError):
        talk.exchange.prepare(prepared(name, types), values)  # type: ignore[arg-type]
    assert talk.asked(b"sum", 1, 1).integer(0, 0) == 2
    with pytest.raises(IndexError):
        talk.asked(b"nothing").get_value(0, 0)
    talk.close()


def test_libpq_is_used_without_the_compiled_exchange(
    embedded_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk(embedded_server, exchange_over)
    assert isinstance(talk.exchange, LibpqExchange if ways.compiled is None else ways.compiled.Exchange)
    talk.close()
    monkeypatch.setattr(ways, "compiled", None)
    other = Talk(embedded_server, exchange_over)
    assert isinstance(other.exchange, LibpqExchange)
    other.close()


def test_libpq_is_used_if_kerberos_may_encrypt(
    embedded_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGGSSENCMODE", "prefer")
    talk = Talk(embedded_server, exchange_over)
    assert isinstance(talk.exchange, LibpqExchange)
    talk.close()


class _Encrypted:
    """A connection that says that it is encrypted, which the embedded server's own build can't do."""

    ssl_in_use = True

    def __init__(self, connection: PGconn) -> None:
        self._connection = connection
        self.notice_handler: object = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def test_libpq_is_used_with_tls(embedded_server: EmbeddedServer) -> None:
    talk = Talk(embedded_server, lambda connection: exchange_over(_Encrypted(connection)))  # type: ignore[arg-type]
    assert isinstance(talk.exchange, LibpqExchange)
    assert talk.asked(b"sum", 40, 2).integer(0, 0) == 42
    talk.close()


class _Misspelt:
    """The answer of a server, or of a pooler before it, that does not write UTF-8."""

    status, ntuples, nfields = int(pq.ExecStatus.FATAL_ERROR), 0, 0

    def error_field(self, fieldcode: int, /) -> bytes | None:
        return b"42501" if fieldcode == pq.DiagnosticField.SQLSTATE else "Berechtigung für".encode("latin-1")


def test_message_in_another_encoding_is_decoded_as_far_as_possible() -> None:
    error = refusal(_Misspelt(), usable=True)  # type: ignore[arg-type]
    assert (str(error), error.code, error.usable) == ("Berechtigung f\ufffdr", "42501", True)
