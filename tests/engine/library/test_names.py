import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput, RemedyKind, UserError
from engine.library.names import checked_name, resolve_name

NAMES = ("R630, HDD", "R630, SSD", "r740", "R740 twice")


def meant(reference: str) -> str:
    return resolve_name(NAMES, reference, what="set", listed=RemedyKind.LIST_SETS)


@pytest.mark.parametrize(
    ("reference", "name"),
    [("R630, SSD", "R630, SSD"), ("r630, ssd ", "R630, SSD"), ("r630, h", "R630, HDD"), ("R740", "r740")],
)
def test_name_is_resolved_by_prefix_in_any_case(reference: str, name: str) -> None:
    assert meant(reference) == name


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("r630", "set 'r630' can mean 2: 'R630, HDD', 'R630, SSD'; give more of the name"),
        ("R630, SDS", "set 'R630, SDS' is not in the library; did you mean 'R630, SSD'"),
        ("xyz", "set 'xyz' is not in the library; look it up in the list of run sets"),
        ("", "set '' is not in the library"),
    ],
)
def test_unknown_or_ambiguous_name_is_an_error(reference: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        meant(reference)


@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=120))
def test_printable_line_is_a_valid_name(text: str) -> None:
    assert checked_name(f" {text}\n", what="set") == text


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "bell\a", "x" * 121])
def test_unprintable_text_is_an_invalid_name(text: str) -> None:
    with pytest.raises(BadInput, match=r"name of the set is '.*'; give one of 1 to 120 printable characters") as caught:
        checked_name(text, what="set")
    assert "\n" not in str(caught.value)
