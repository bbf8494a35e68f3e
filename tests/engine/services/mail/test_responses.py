from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.services.mail.imap.responses import BadResponse, Response, literal_size, quoted


def test_values_are_atoms_strings_lists_literals_and_nil() -> None:
    response = Response(
        (b'* 3 FETCH (UID 7 FLAGS (\\Seen) X NIL Y "a \\"b\\"" BODY[HEADER.FIELDS (A B)] {2}', b")(", b")")
    )
    assert response.name == b"FETCH"
    assert response.number == 3
    assert response.fetched() == {
        b"UID": b"7",
        b"FLAGS": [b"\\Seen"],
        b"X": None,
        b"Y": b'a "b"',
        b"BODY[HEADER.FIELDS (A B)]": b")(",
    }


def test_a_status_response_has_a_code_and_a_text() -> None:
    response = Response((b"s1 NO [OVERQUOTA] Quota exceeded",))
    assert (response.name, response.code, response.text) == (b"NO", "OVERQUOTA", "Quota exceeded")
    assert Response((b"* OK",)).text == ""


@pytest.mark.parametrize("line", [b"* X (a", b"* X a)", b'* X "a', b"* 1 FETCH x", b"* 1 FETCH (a)"])
def test_what_is_no_response_is_refused(line: bytes) -> None:
    with pytest.raises(BadResponse):
        Response((line,)).fetched()


@given(st.text(st.characters(blacklist_categories=("Cc", "Cs"))))
def test_a_quoted_string_is_read_as_it_was(text: str) -> None:
    assert Response((b"* X " + quoted(text),)).values()[1] == text.encode()


@given(st.lists(st.binary(max_size=30), min_size=2, max_size=7))
def test_any_bytes_are_read_or_refused(parts: list[bytes]) -> None:
    lines = [part.replace(b"\n", b"") if number % 2 == 0 else part for number, part in enumerate(parts)]
    with suppress(BadResponse):
        assert isinstance(Response(tuple(lines)).values(), list)


def test_the_size_of_a_literal_ends_a_line() -> None:
    assert literal_size(b"* 1 FETCH (BODY[] {12}") == 12
    assert literal_size(b"* {12} a") is None
