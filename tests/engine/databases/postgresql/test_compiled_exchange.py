"""What the compiled way makes of whatever comes over its socket, in whatever pieces."""

import itertools
import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg import pq

from engine.databases.postgresql.wire import NUMERIC, TEXT
from tests.doubles.postgresql_messages import READY, columns, int4, message, prepared, row, told
from tests.doubles.sessions import tcp_pair

compiled = pytest.importorskip("engine.databases.exchange._exchange", reason="set up without a C compiler")

_INT4S = st.integers(-(2**31), 2**31 - 1)
_VALUES = st.none() | st.binary(max_size=20)
_ROWS = st.integers(0, 5).flatmap(lambda columns: st.lists(st.lists(_VALUES, min_size=columns, max_size=columns)))
_NAME = st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF), max_size=8)


@contextmanager
def talking() -> Iterator[tuple[object, socket.socket]]:
    """An exchange, and the server's end of its socket."""
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        yield compiled.Exchange(near.fileno(), "postgresql"), far


def pieces(whole: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(whole), *(cut % (len(whole) + 1) for cut in cuts)})
    return [whole[begin:end] for begin, end in itertools.pairwise(places)]


@given(rows=_ROWS, cuts=st.lists(st.integers(0, 10_000), max_size=6))
def test_rows_round_trip_however_the_answer_is_fragmented(rows: list[list[bytes | None]], cuts: list[int]) -> None:
    whole = message(b"2") + b"".join(map(row, rows)) + message(b"C", b"SELECT\0") + READY
    parts = pieces(whole, cuts)
    with talking() as (exchange, server):
        for part in parts[:-1]:
            server.send(part)
            assert exchange.receive() is None
        server.send(parts[-1])
        answer = exchange.receive()
    found = [[answer.get_value(number, column) for column in range(len(each))] for number, each in enumerate(rows)]
    assert (answer.ntuples, found) == (len(rows), rows)


@given(st.lists(st.tuples(_INT4S, _INT4S)))
def test_integers_are_read_as_they_were_written(pairs: list[tuple[int, int]]) -> None:
    with talking() as (exchange, server):
        server.sendall(b"".join(row([int4(each) for each in pair]) for pair in pairs) + READY)
        answer = exchange.receive()
    assert answer.integer_pairs() == dict(pairs)
    assert [(answer.integer(number, 0), answer.integer(number, 1)) for number in range(len(pairs))] == pairs


def test_a_value_that_is_no_integer_is_an_error() -> None:
    with talking() as (exchange, server):
        server.send(row([b"12345", None]) + READY)
        answer = exchange.receive()
    assert answer.integer(0, 1) is None
    with pytest.raises(ValueError, match="a value of 5 bytes is not an integer"):
        answer.integer(0, 0)
    with pytest.raises(ValueError, match="a value of 5 bytes is not an integer"):
        answer.integer_pairs()
    for place in ((1, 0), (0, 2), (-1, 0)):
        with pytest.raises(IndexError):
            answer.integer(*place)


@given(st.lists(st.tuples(_NAME, st.integers(0, 2**32 - 1)), max_size=9))
def test_every_column_has_its_type(named: list[tuple[str, int]]) -> None:
    with talking() as (exchange, server):
        server.send(columns(named) + READY)
        answer = exchange.receive()
    assert [answer.ftype(number) for number in range(answer.nfields)] == [kind for _, kind in named]
    for number in (-1, len(named)):
        with pytest.raises(IndexError):
            answer.ftype(number)


@given(st.dictionaries(st.sampled_from("SVCMDHP"), _NAME, min_size=1))
def test_every_field_of_an_error_is_found(fields: dict[str, str]) -> None:
    with talking() as (exchange, server):
        server.send(told(b"E", fields) + READY)
        answer = exchange.receive()
    assert answer.status == pq.ExecStatus.FATAL_ERROR
    assert {code: answer.error_field(ord(code)) for code in "SVCMDHPW"} == {
        code: fields[code].encode() if code in fields else None for code in "SVCMDHPW"
    }


def test_data_of_the_next_answer_is_kept() -> None:
    with talking() as (exchange, server):
        server.send(row([b"one"]) + READY + row([b"two"])[:7])
        assert exchange.receive().get_value(0, 0) == b"one"
        server.send(row([b"two"])[7:] + READY)
        assert exchange.receive().get_value(0, 0) == b"two"


def test_of_several_warnings_and_notices_the_last_warning_counts() -> None:
    notices = [("WARNING", "one"), ("WARNING", "two"), ("NOTICE", "three")]
    with talking() as (exchange, server):
        for severity, text in notices:
            server.send(told(b"N", {"S": "WARNUNG", "V": severity, "M": text}))
        server.send(READY)
        exchange.receive()
        assert exchange.warning == b"two"


@given(st.binary(max_size=200) | st.builds(lambda body: message(b"D", body) + READY, st.binary(max_size=20)))
def test_invalid_bytes_are_errors(nonsense: bytes) -> None:
    with talking() as (exchange, server):
        server.sendall(nonsense)
        server.shutdown(socket.SHUT_WR)
        try:
            answer = exchange.receive() or exchange.receive()
        except ConnectionError:
            assert not exchange.is_open
            return
    for number in range(answer.ntuples):
        for column in range(4):
            with suppress(IndexError):
                value = answer.get_value(number, column)
                assert value is None or value in nonsense
    for column in range(answer.nfields):
        with suppress(IndexError):
            answer.ftype(column)
    assert answer.error_field(ord("M")) is None or answer.error_field(ord("M")) in nonsense


def test_message_lengths_are_validated() -> None:
    for length in (3, 0, -1, 2**31 - 1):
        with talking() as (exchange, server):
            server.send(b"D" + struct.pack(">i", length))
            with pytest.raises(ConnectionError, match="not of PostgreSQL's protocol"):
                exchange.receive()
            assert not exchange.is_open


def test_call_is_encoded_according_to_the_protocol() -> None:
    with talking() as (exchange, server):
        exchange.prepare(prepared(types=(TEXT, NUMERIC)), (b"ab", b""))
        exchange.send()
        bind = b"\0name\0" + struct.pack(">hhhhi2sihh", 2, 1, 0, 2, 2, b"ab", 0, 1, 1)
        assert server.recv(1_000) == (
            message(b"B", bind) + message(b"D", b"P\0") + message(b"E", b"\0" + bytes(4)) + message(b"S")
        )


def test_asynchronous_messages_are_skipped() -> None:
    by_itself = message(b"S", b"TimeZone\0UTC\0") + message(b"A", bytes(4) + b"a\0b\0") + told(b"N", {"V": "LOG"})
    with talking() as (exchange, server):
        server.send(by_itself)
        assert exchange.receive() is None
        server.send(by_itself + row([b"one"]) + by_itself + READY)
        answer = exchange.receive()
    assert (answer.ntuples, answer.get_value(0, 0), answer.status) == (1, b"one", pq.ExecStatus.COMMAND_OK)


@pytest.mark.parametrize("kind", [b"\0", b"G", b"x", b"R"])
def test_a_message_that_is_no_part_of_an_answer_is_no_answer(kind: bytes) -> None:
    with talking() as (exchange, server):
        server.send(message(kind, b"1234"))
        with pytest.raises(ConnectionError, match="not of PostgreSQL's protocol"):
            exchange.receive()


def test_only_one_call_at_a_time() -> None:
    with talking() as (exchange, server):
        with pytest.raises(RuntimeError, match="nothing was prepared"):
            exchange.send()
        exchange.prepare(prepared(), ())
        exchange.send()
        with pytest.raises(RuntimeError, match="the last answer was not taken"):
            exchange.send()
        server.send(READY)
        exchange.receive()
        with pytest.raises(RuntimeError, match="nothing was prepared"):
            exchange.send()
        exchange.prepare(prepared(), ())
        exchange.send()
        with pytest.raises(TypeError):
            exchange.prepare(prepared(types=(TEXT,)), (object(),))
        server.send(READY)
        exchange.receive()
        with pytest.raises(RuntimeError, match="nothing was prepared"):
            exchange.send()


def test_a_cut_ends_a_question_that_waits_for_room() -> None:
    with talking() as (exchange, server):
        exchange.prepare(prepared(types=(TEXT,)), (b"x" * 5_000_000,))
        asking = threading.Thread(target=exchange.send)
        asking.start()
        assert select.select([server], [], [], 10)[0], "it has begun"
        server.close()
        asking.join(10)
        assert not asking.is_alive()
        with pytest.raises(ConnectionError):
            exchange.receive()


def test_a_question_that_is_being_sent_is_not_changed() -> None:
    with talking() as (exchange, server):
        exchange.prepare(prepared(types=(TEXT,)), (b"x" * 5_000_000,))
        asking = threading.Thread(target=exchange.send)
        asking.start()
        assert select.select([server], [], [], 10)[0], "it has begun"
        with pytest.raises(RuntimeError, match="another call is using this connection"):
            exchange.prepare(prepared(b"another"), ())
        with pytest.raises(RuntimeError, match="another call is using this connection"):
            exchange.send()
        server.close()
        asking.join(10)


def test_reset_connection_is_an_error() -> None:
    near, far = tcp_pair()
    with near:
        near.setblocking(False)
        exchange = compiled.Exchange(near.fileno(), "postgresql")
        far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        far.close()
        assert select.select([near], [], [], 10)[0]
        exchange.prepare(prepared(), ())
        exchange.send()
        with pytest.raises(ConnectionResetError):
            exchange.receive()


def test_a_closed_exchange_leaves_the_socket_open() -> None:
    with talking() as (exchange, server):
        exchange.close()
        exchange.prepare(prepared(), ())
        with pytest.raises(ConnectionError, match="the connection is closed"):
            exchange.send()
        with pytest.raises(ConnectionError):
            exchange.receive()
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.recv(1)


def test_an_exchange_is_made_whole_or_not_at_all() -> None:
    with pytest.raises(TypeError):
        compiled.Exchange.__new__(compiled.Exchange)
    with pytest.raises(ValueError, match="not a known protocol"):
        compiled.Exchange(0, "tds")


class Returning:
    """A cipher that uses the connection that it is the cipher of."""

    def __init__(self) -> None:
        self.connection: object = None

    def encrypt(self, _: bytes) -> bytes:
        return self.connection.receive()

    def decrypt(self, encrypted: bytes) -> bytes:
        return encrypted


def test_a_connection_that_is_in_use_is_not_used_again() -> None:
    near, far = socket.socketpair()
    with near, far:
        cipher = Returning()
        cipher.connection = compiled.Exchange(near.fileno(), "postgresql", cipher)
        with pytest.raises(RuntimeError, match="another call is using this connection"):
            cipher.connection.prepare(prepared(), ())
        cipher.connection = None
