"""The compiled exchange reads MySQL's packets correctly, whatever arrives on its socket and in whatever pieces."""

import itertools
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.databases.exchange.calls import Answer
from tests.doubles.mysql_answers import OutOfProtocol, PlainAnswer, read_answer
from tests.doubles.mysql_packets import (
    BINARY,
    DOUBLE,
    LONG,
    LONGLONG,
    MORE_RESULTS,
    UNSIGNED,
    VAR_STRING,
    column,
    end,
    error,
    long,
    longlong,
    ok,
    packet,
    packets,
    prepared,
    result,
    row,
    text_row,
    with_length,
)

compiled = pytest.importorskip("engine.databases.exchange._exchange", reason="set up without a C compiler")

FATAL, TUPLES, COMMAND = 7, 2, 1
_FIXED = {1: 1, 2: 2, 13: 2, LONG: 4, 9: 4, 4: 4, LONGLONG: 8, DOUBLE: 8}
_OTHERS = (VAR_STRING, 252, 246, 7, 10, 11, 12, 16, 0)


def value_of(kind: int) -> st.SearchStrategy[bytes | None]:
    size = _FIXED.get(kind)
    return st.none() | (st.binary(max_size=300) if size is None else st.binary(min_size=size, max_size=size))


_TABLES = st.lists(st.sampled_from([*_FIXED, *_OTHERS]), min_size=1, max_size=12).flatmap(
    lambda kinds: st.tuples(st.just(kinds), st.lists(st.tuples(*map(value_of, kinds)), max_size=5))
)


@contextmanager
def talking(*, is_text: bool = False) -> Iterator[tuple[Any, socket.socket]]:
    """An exchange that has asked, and the server's end of its socket."""
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        exchange = compiled.Exchange(near.fileno(), "mysql")
        asked(exchange, far, is_text=is_text)
        yield exchange, far


def asked(exchange: Any, server: socket.socket, *, is_text: bool = False) -> None:
    exchange.prepare(prepared(None if is_text else 1, statement="x"), ())
    exchange.send()
    server.recv(1_000)


def pieces(whole: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(whole), *(cut % (len(whole) + 1) for cut in cuts)})
    return [whole[begin:end] for begin, end in itertools.pairwise(places)]


def binary_row(kinds: Sequence[int], values: Sequence[bytes | None]) -> bytes:
    bits = sum(1 << place for place, value in enumerate(values, start=2) if value is None)
    parts = [
        value if kind in _FIXED else with_length(value)
        for kind, value in zip(kinds, values, strict=True)
        if value is not None
    ]
    return b"\0" + bits.to_bytes((len(kinds) + 9) // 8, "little") + b"".join(parts)


def in_plain(answer: Answer) -> PlainAnswer:
    """The compiled answer as its definition has it."""

    def read(what: Any, *place: int) -> Any:
        try:
            return what(*place)
        except IndexError as none:
            return none

    columns = range(answer.nfields)
    return PlainAnswer(
        error=answer.error_field(ord("E")),
        columns=len(columns),
        types=[read(answer.ftype, number) for number in columns],
        rows=[[read(answer.get_value, number, each) for each in columns] for number in range(answer.ntuples)],
    )


def comparable(answer: PlainAnswer) -> tuple[Any, ...]:
    def plain(value: object) -> object:
        return "unreadable" if isinstance(value, IndexError) else value

    return (
        answer.error,
        answer.columns,
        list(map(plain, answer.types)),
        [list(map(plain, each)) for each in answer.rows],
    )


def defined(stream: bytes, *, is_text: bool) -> tuple[Any, ...] | str:
    """What the definition makes of a stream."""
    try:
        answer = read_answer(stream, is_text=is_text)
    except OutOfProtocol:
        return "out of protocol"
    if answer is None:
        return "not whole"
    if answer.error is not None:
        answer.error = answer.error[1:3]
    if not answer.types:
        answer.types = [IndexError()] * answer.columns
    return comparable(answer)


def compiled_makes(parts: Sequence[bytes], *, is_text: bool) -> tuple[Any, ...] | str:
    with talking(is_text=is_text) as (exchange, server):
        for part in parts:
            server.sendall(part)
            try:
                answer = exchange.receive()
            except ConnectionError:
                assert not exchange.is_open
                return "out of protocol"
            if answer is not None:
                return comparable(in_plain(answer))
        return "not whole"


@given(table=_TABLES, cuts=st.lists(st.integers(0, 10_000), max_size=6))
def test_rows_round_trip_however_the_answer_is_fragmented(
    table: tuple[list[int], list[tuple[bytes | None, ...]]], cuts: list[int]
) -> None:
    kinds, rows = table
    whole = packets(
        bytes([len(kinds)]),
        *map(column, kinds),
        end(),
        *(binary_row(kinds, each) for each in rows),
        end(MORE_RESULTS),
        ok(),
    )
    parts = pieces(whole, cuts)
    with talking() as (exchange, server):
        for part in parts[:-1]:
            server.send(part)
            assert exchange.receive() is None
        server.send(parts[-1])
        answer = exchange.receive()
    found = [tuple(answer.get_value(number, place) for place in range(len(kinds))) for number in range(len(rows))]
    assert (answer.status, answer.ntuples, answer.nfields, found) == (TUPLES, len(rows), len(kinds), rows)
    assert [answer.ftype(place) for place in range(len(kinds))] == kinds


_CONTENTS = st.one_of(
    st.sampled_from(
        [ok(), ok(MORE_RESULTS), end(), end(MORE_RESULTS), error(1213, "no"), b"", b"\xff", b"\xfb", b"\1"]
    ),
    st.builds(lambda kind: column(kind), st.sampled_from([*_FIXED, *_OTHERS])),
    st.builds(lambda count: bytes([count]), st.integers(1, 3)),
    st.builds(lambda value: row([LONG], [value]), st.none() | st.binary(min_size=4, max_size=4)),
    st.builds(text_row, st.lists(st.none() | st.binary(max_size=5), min_size=1, max_size=3)),
    st.binary(max_size=30),
)


@st.composite
def _streams(draw: st.DrawFn) -> bytes:
    """An answer that is right but for some bytes or packets that are others, or any packets."""
    if draw(st.booleans()):
        kinds, rows = draw(_TABLES)
        contents = [bytes([len(kinds)]), *map(column, kinds), end()]
        contents += [binary_row(kinds, each) for each in rows] + [end(MORE_RESULTS), ok()]
    else:
        contents = draw(st.lists(_CONTENTS, max_size=8))
    for place in draw(st.lists(st.integers(0, 40), max_size=2)):
        if place < len(contents):
            contents[place] = draw(_CONTENTS)
    stream = bytearray(packets(*contents))
    for place, byte in draw(st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), max_size=3)):
        if place < len(stream):
            stream[place] = byte
    return bytes(stream)


@given(stream=_streams(), cuts=st.lists(st.integers(0, 10_000), max_size=4), is_text=st.booleans())
def test_the_compiled_reader_agrees_with_its_definition(stream: bytes, cuts: list[int], is_text: bool) -> None:
    assert compiled_makes(pieces(stream, cuts), is_text=is_text) == defined(stream, is_text=is_text)


@given(stream=st.binary(max_size=100), is_text=st.booleans())
def test_invalid_bytes_are_errors(stream: bytes, is_text: bool) -> None:
    assert compiled_makes([stream] if stream else [], is_text=is_text) == defined(stream, is_text=is_text)


@given(st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)), max_size=300))
def test_integers_are_read_as_they_were_written(pairs: list[tuple[int, int]]) -> None:
    whole = packets(*result([LONG, LONGLONG], [(long(one), longlong(other)) for one, other in pairs]))
    with talking() as (exchange, server):
        server.sendall(whole)
        answer = exchange.receive()
    assert answer.integer_pairs() == dict(pairs)
    assert [(answer.integer(number, 0), answer.integer(number, 1)) for number in range(len(pairs))] == pairs


@pytest.mark.parametrize(
    ("kind", "flags", "raw", "value"),
    [
        (1, 0, b"\xff", -1),
        (1, UNSIGNED, b"\xff", 255),
        (2, 0, b"\x00\x80", -(2**15)),
        (13, UNSIGNED, b"\xe8\x07", 2024),
        (LONG, UNSIGNED, b"\xff" * 4, 2**32 - 1),
        (9, 0, b"\xff" * 4, -1),
        (LONGLONG, UNSIGNED, b"\xff" * 8, 2**64 - 1),
        (LONGLONG, 0, b"\xff" * 8, -1),
    ],
)
def test_an_integer_has_its_column_s_size_and_sign(kind: int, flags: int, raw: bytes, value: int) -> None:
    whole = packets(b"\1", column(kind, flags=flags, characters=BINARY), end(), b"\0\0" + raw, end())
    with talking() as (exchange, server):
        server.sendall(whole)
        answer = exchange.receive()
    assert answer.integer(0, 0) == value
    ((decoded,),) = answer.rows().decoded()
    assert decoded == value


def test_a_value_that_is_no_integer_is_an_error() -> None:
    with talking() as (exchange, server):
        server.send(packets(*result([VAR_STRING, LONG], [(b"12345", None)])))
        answer = exchange.receive()
    assert answer.integer(0, 1) is None
    with pytest.raises(ValueError, match="a value of type 253 is not an integer"):
        answer.integer(0, 0)
    with pytest.raises(ValueError, match="a value of type 253 is not an integer"):
        answer.integer_pairs()
    for place in ((1, 0), (0, 2), (-1, 0)):
        with pytest.raises(IndexError):
            answer.integer(*place)


def test_the_rows_of_a_call_are_those_of_its_first_result_with_columns() -> None:
    first, second = result([LONG], [(long(1),), (long(2),)])[:-1], result([VAR_STRING, LONG], [(b"x", long(3))])
    with talking() as (exchange, server):
        server.send(packets(ok(MORE_RESULTS), *first, *second))
        answer = exchange.receive()
    assert (answer.nfields, answer.ntuples) == (1, 2)
    assert [answer.integer(number, 0) for number in range(2)] == [1, 2]


def test_more_than_256_packets_are_counted_from_0_again() -> None:
    rows = [(long(number),) for number in range(1_000)]
    with talking() as (exchange, server):
        server.sendall(packets(*result([LONG], rows)))
        answer = exchange.receive()
    assert (answer.ntuples, answer.integer(999, 0)) == (1_000, 999)


@pytest.mark.parametrize(
    "before",
    [
        [],
        [b"\2"],
        [b"\2", column(LONG)],
        [b"\1", column(LONG)],
        [b"\1", column(LONG), end()],
        [b"\1", column(LONG), end(), row([LONG], [long(7)])],
        [b"\1", column(LONG), end(), row([LONG], [long(7)]), end(MORE_RESULTS)],
    ],
)
@pytest.mark.parametrize("number", [None, 0, 77], ids=["next number", "0", "77"])
def test_error_ends_the_answer_at_any_position(before: list[bytes], number: int | None) -> None:
    last = packet(error(1317, "interrupted", "70100"), len(before) + 1 if number is None else number)
    with talking() as (exchange, server):
        server.send(packets(*before) + last)
        answer = exchange.receive()
        assert exchange.is_open
    assert answer.status == FATAL
    assert [answer.error_field(ord(letter)) for letter in "ECMX"] == [
        (1317).to_bytes(2, "little"),
        b"70100",
        b"interrupted",
        None,
    ]


def test_an_error_without_a_state_is_read() -> None:
    with talking() as (exchange, server):
        server.send(packets(error(1040, "Too many connections", None)))
        answer = exchange.receive()
    assert (answer.error_field(ord("C")), answer.error_field(ord("M"))) == (None, b"Too many connections")


OUT_OF_PROTOCOL = {
    "an error without a number": packets(b"\xff\x10"),
    "no content": packets(b""),
    "a packet of 16 MiB": b"\xff\xff\xff\x01",
    "a file is asked for": packets(b"\xfb/etc/passwd"),
    "another number": packet(ok(), 2),
    "the number again": packet(b"\1", 1) + packet(column(LONG), 1),
    "4,097 columns": packets(b"\xfc\x01\x10"),
    "columns of 8 bytes": packets(b"\xfe" + bytes(8)),
    "columns, and something behind": packets(b"\1\1"),
    "no end of definitions": packets(b"\1", column(LONG), ok()),
    "an end without a status": packets(b"\1", column(LONG), end(), b"\xfe\0\0"),
    "a row of nothing": packets(b"\1", column(LONG), end(), b""),
    "an ok without a status": packets(b"\0\0\0"),
    "an ok with a length that is none": packets(b"\0\xff" + bytes(20)),
}


@pytest.mark.parametrize("stream", OUT_OF_PROTOCOL.values(), ids=OUT_OF_PROTOCOL.keys())
def test_what_is_not_of_the_protocol_ends_the_connection_for_good(stream: bytes) -> None:
    with talking() as (exchange, server):
        server.send(stream + packets(ok(), first=2) + packets(ok()))
        for _ in range(3):
            with pytest.raises(ConnectionError, match="not of MySQL's protocol"):
                exchange.receive()
            assert not exchange.is_open


@pytest.mark.parametrize(
    "content",
    [
        b"\0",
        b"\0\0\1\2\3",
        b"\1\0\1\2\3\4",
        b"\0\0" + with_length(b"12")[:2],
    ],
    ids=["no nulls", "too short", "another first byte", "text too long"],
)
def test_a_row_that_can_not_be_read_has_no_values(content: bytes) -> None:
    kind = VAR_STRING if content.endswith(b"\x021") else LONG
    with talking() as (exchange, server):
        server.send(packets(b"\1", column(kind), end(), content, end()))
        answer = exchange.receive()
    assert answer.ntuples == 1
    with pytest.raises(IndexError, match="no such value"):
        answer.get_value(0, 0)


@pytest.mark.parametrize("first", [0xFB, 0xFC, 0xFD, 0xFE, 0xFF])
def test_lengths_are_validated(first: int) -> None:
    for rest in (b"", b"\xff" * 2, b"\xff" * 8):
        with talking() as (exchange, server):
            server.send(packets(b"\1", column(VAR_STRING), end(), b"\0\0" + bytes([first]) + rest, end()))
            answer = exchange.receive()
        with pytest.raises(IndexError):
            answer.get_value(0, 0)
        with talking() as (exchange, server):
            server.send(packets(b"\1", bytes([first]) + rest, end(), b"\0\0\1", end()) + packet(ok(), 77))
            try:
                answer = exchange.receive()
            except ConnectionError:
                continue
        with pytest.raises(IndexError):
            answer.ftype(0)


def test_an_answer_that_never_ends_ends_the_connection() -> None:
    many = b"".join(packet(bytes(15_000_000), number) for number in range(4, 10))
    with talking() as (exchange, server):
        server.setblocking(False)
        left = memoryview(packets(b"\1", column(LONG), end()) + many)

        def send_all_of_it() -> None:
            nonlocal left
            while left:
                left = left[server.send(left) :]
                assert exchange.receive() is None

        with pytest.raises(ConnectionError, match="longer than 64 MiB"):
            send_all_of_it()
        assert not exchange.is_open


def test_data_before_a_call_is_not_an_answer() -> None:
    with talking() as (exchange, server):
        server.send(packets(*result([LONG], [(long(1),)])))
        assert exchange.receive().integer(0, 0) == 1
        server.send(packets(*result([LONG], [(long(2),)])))
        exchange.prepare(prepared(), ())
        for use in (exchange.send, exchange.receive):
            with pytest.raises(ConnectionError, match="not of MySQL's protocol"):
                use()
        assert not exchange.is_open


def test_data_after_an_answer_is_not_the_next_answer() -> None:
    with talking() as (exchange, server):
        server.send(packets(*result([LONG], [(long(1),)])) + packets(*result([LONG], [(long(2),)])))
        assert exchange.receive().integer(0, 0) == 1
        exchange.prepare(prepared(), ())
        for use in (exchange.send, exchange.receive):
            with pytest.raises(ConnectionError, match="not of MySQL's protocol"):
                use()


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("is_behind", [True, False], ids=["behind an answer", "later"])
def test_unsolicited_error_is_reported(number: int, is_behind: bool) -> None:
    parting = packet(error(1053, "Server shutdown in progress", "08S01"), number)
    with talking() as (exchange, server):
        server.send(packets(ok()) + (parting if is_behind else b""))
        assert exchange.receive().status == COMMAND
        if not is_behind:
            server.send(parting)
        exchange.prepare(prepared(), ())
        exchange.send()
        server.shutdown(socket.SHUT_WR)
        assert exchange.receive().error_field(ord("M")) == b"Server shutdown in progress"


def test_call_is_encoded_according_to_the_protocol() -> None:
    types = (LONG, LONGLONG, DOUBLE, VAR_STRING, LONG, 246)
    with talking() as (exchange, server):
        server.send(packets(ok()))
        exchange.receive()
        exchange.prepare(prepared(0x01020304, types), (-2, 2**40, 0.5, "é", None, 1_205))
        exchange.send()
        kinds = b"".join(bytes([kind, 0]) for kind in types)
        values = long(-2) + longlong(2**40) + struct.pack("<d", 0.5) + b"\2\xc3\xa9" + b"\x0512.05"
        wanted = b"\x17\4\3\2\1\0\1\0\0\0" + b"\x10" + b"\1" + kinds + values
        assert server.recv(1_000) == packet(wanted)


@pytest.mark.parametrize("size", [250, 251, 65_535, 65_536])
def test_a_text_is_sent_behind_its_length(size: int) -> None:
    with talking() as (exchange, server):
        server.send(packets(ok()))
        exchange.receive()
        exchange.prepare(prepared(1, (VAR_STRING,)), ("x" * size,))
        exchange.send()
        server.settimeout(10)
        sent = b""
        wanted = with_length(b"x" * size)
        while not sent.endswith(wanted):
            sent += server.recv(1_000_000)
        assert int.from_bytes(sent[:3], "little") == len(sent) - 4


def test_a_question_of_16_mib_is_refused_and_the_connection_still_stands() -> None:
    with talking() as (exchange, server):
        server.send(packets(ok()))
        exchange.receive()
        with pytest.raises(OverflowError, match="longer than 16 MiB"):
            exchange.prepare(prepared(1, (VAR_STRING,)), ("x" * 2**24,))
        asked(exchange, server)
        server.send(packets(ok()))
        assert exchange.receive().status == COMMAND


@pytest.mark.parametrize(
    ("kind", "value"), [(LONG, "1"), (LONG, 2**31), (LONGLONG, 2**63), (DOUBLE, 1), (VAR_STRING, 1), (1, 128)]
)
def test_a_parameter_that_does_not_fit_its_type_is_refused(kind: int, value: object) -> None:
    with talking() as (exchange, server):
        server.send(packets(ok()))
        exchange.receive()
        with pytest.raises((TypeError, OverflowError)):
            exchange.prepare(prepared(1, (kind,)), (value,))
        with pytest.raises(RuntimeError, match="nothing was prepared"):
            exchange.send()
