import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.databases.odbc.connection_string import connection_string
from engine.errors import BadInput

_NAMES = st.sampled_from(["UID", "PWD", "DATABASE", "SERVER", "APP"])
_VALUES = st.text(st.characters(exclude_characters="\0"), max_size=30)


def read(text: str) -> dict[str, str]:
    """The string as ODBC's grammar has it: name=value; or name={value}; with a closing brace doubled inside."""
    found: dict[str, str] = {}
    position = 0
    pair = re.compile(r"([^=;{}]+)=(?:\{((?:[^}]|\}\})*)\}|([^;{}\[\]()?*=!@]*));", re.DOTALL)
    while position < len(text):
        match = pair.match(text, position)
        assert match is not None, text[position:]
        assert match[3] is None or match[3] == match[3].strip(), "a driver would trim a bare value"
        found[match[1]] = str(match[3]) if match[2] is None else match[2].replace("}}", "}")
        position = match.end()
    return found


@given(st.dictionaries(_NAMES, _VALUES))
@example({"PWD": "a};UID={root"})
@example({"PWD": "}"})
@example({"PWD": "{x}}"})
@example({"PWD": "", "UID": " 'a' \"b\" ;="})
def test_every_value_reads_back_as_it_was(attributes: dict[str, str]) -> None:
    assert read(connection_string(attributes)) == attributes


@pytest.mark.parametrize("value", ["34777", "tcp:db1.example,1433", "db1\\prod", "ODBC_user-1", "a b", ""])
def test_a_plain_value_stands_without_braces(value: str) -> None:
    assert connection_string({"X": value}) == f"X={value};"


def test_a_nul_is_refused_without_repeating_the_value() -> None:
    with pytest.raises(BadInput, match="password holds a NUL") as caught:
        connection_string({"PWD": "s3cret\0tail"})
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "A;B", "A=B", "A{", "A\0"])
def test_a_name_that_would_break_the_string_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="name of a connection's attribute"):
        connection_string({name: "x"})


def test_a_driver_stands_in_braces_and_can_hold_none() -> None:
    assert connection_string({"Driver": "ODBC Driver 18 for SQL Server"}) == "Driver={ODBC Driver 18 for SQL Server};"
    with pytest.raises(BadInput, match="without braces"):
        connection_string({"DRIVER": "x};PWD={y"})


@pytest.mark.parametrize("password", [" x", "x ", "x\t"])
def test_what_mariadbs_driver_would_cut_off_is_refused(password: str) -> None:
    with pytest.raises(BadInput, match="password begins or ends with a space, which driver 'MariaDB Unicode'"):
        connection_string({"DRIVER": "MariaDB Unicode", "PWD": password})
    assert connection_string({"DRIVER": "FreeTDS", "PWD": password}).endswith(f"PWD={{{password}}};")


def test_freetds_is_given_a_closing_brace_as_it_is_or_not_at_all() -> None:
    assert connection_string({"Driver": "FreeTDS", "PWD": "a}b"}) == "Driver={FreeTDS};PWD=a}b;"
    for password in ("a};b", "{a}"):
        with pytest.raises(BadInput, match="driver FreeTDS can't be given"):
            connection_string({"Driver": "FreeTDS", "PWD": password})
