import re

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.databases.odbc.load_account import SALT_BYTES, load_password, new_salt
from engine.secrets import Secret

_SALT = bytes(range(SALT_BYTES))


@settings(max_examples=15)
@given(st.text(max_size=40).filter(lambda text: text.isprintable()), st.binary(min_size=16, max_size=16))
def test_every_password_meets_a_strict_policy_and_needs_no_quoting(password: str, salt: bytes) -> None:
    made = load_password(Secret(password), salt).reveal()
    assert re.fullmatch(r"[A-Za-z0-9_-]{47}", made)
    assert all(re.search(kind, made) for kind in ("[a-z]", "[A-Z]", "[0-9]", "[-_]"))


def test_the_same_password_and_salt_give_the_same_account_and_others_do_not() -> None:
    made = load_password(Secret("s3cret"), _SALT)
    assert load_password(Secret("s3cret"), _SALT) == made
    assert load_password(Secret("s3cret2"), _SALT) != made
    assert load_password(Secret("s3cret"), _SALT[::-1]) != made


def test_without_an_administrators_password_it_is_drawn_by_chance() -> None:
    assert load_password(None, _SALT) != load_password(None, _SALT)


def test_a_password_does_not_show_itself() -> None:
    assert load_password(Secret("s3cret"), _SALT).reveal() not in repr(load_password(Secret("s3cret"), _SALT))


def test_salts_differ() -> None:
    assert len({new_salt() for _ in range(50)}) == 50
    assert {len(new_salt()) for _ in range(5)} == {SALT_BYTES}
