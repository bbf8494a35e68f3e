import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from engine.databases.mssql.scripts import DBO, Sql, batches, batches_of, binary, identifier, listed, literal, number
from engine.errors import BadInput
from engine.workloads.dvdstore.bindings.mssql.store import STORE

_TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
_NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(text=_TEXTS)
def test_a_literal_is_read_back_as_the_text(text: str) -> None:
    quoted = literal(text)
    assert quoted.startswith("N'")
    assert quoted.endswith("'")
    assert quoted[2:-1].replace("''", "") == text.replace("'", ""), "every quote inside is doubled"
    assert quoted[2:-1].replace("''", "'") == text


@given(name=_NAMES)
def test_an_identifier_is_read_back_as_the_name(name: str) -> None:
    quoted = identifier(name)
    assert (quoted[0], quoted[-1]) == ("[", "]")
    assert quoted[1:-1].replace("]]", "") == name.replace("]", ""), "every bracket inside is doubled"
    assert quoted[1:-1].replace("]]", "]") == name


@pytest.mark.parametrize("text", ["", "'", "''", "a'; DROP TABLE x --", "]", "\n", "GO", "$(name)", "ä€😀", "\\", "/*"])
def test_a_parser_reads_a_literal_as_one_text_and_an_identifier_as_one_name(text: str) -> None:
    (found,) = sqlglot.parse(f"SELECT {literal(text)} AS {identifier(text or 'x')}", dialect="tsql")
    assert found is not None
    (alias,) = found.find_all(exp.Alias)
    assert alias.alias == (text or "x")
    assert alias.this.this == text


@pytest.mark.parametrize("name", ["", 129 * "a", 65 * "😀", "a\0b"])
def test_what_can_be_no_name_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="SQL Server accepts 1 to 128"):
        identifier(name)


def test_a_text_with_a_nul_is_refused() -> None:
    with pytest.raises(BadInput, match="NUL"):
        literal("a\0b")


@pytest.mark.parametrize("name", ["a]; DROP DATABASE b --", "x\nGO\ny", "$(file)", "${x}", "a'b"])
def test_a_name_can_neither_end_a_batch_nor_stand_for_something_else(name: str) -> None:
    (batch,) = batches("backup", database=identifier(name), file=literal(f"/{name}"), copy_only=Sql(""))
    assert batch.startswith(f"BACKUP DATABASE {identifier(name)} TO DISK = {literal(f'/{name}')}\n")


def test_script_is_split_into_batches_without_comments() -> None:
    found = batches_of(STORE.script("indexes"), schema=DBO, indexes=identifier("spindle_indexes"))
    assert len(found) == 11
    assert all(batch.startswith(("CREATE", "ALTER", "INSERT")) for batch in found)
    assert not any("GO" in batch.split() or "--" in batch or "$(" in batch for batch in found)


def test_a_placeholder_without_a_value_is_a_bug() -> None:
    with pytest.raises(KeyError, match="database"):
        batches("backup", file=literal("/a"))


def test_bytes_numbers_and_lists_are_written_as_constants() -> None:
    assert binary(b"\x00\xff") == "0x00ff"
    assert number(12_000) == "12000"
    assert listed(number(1), literal("a")) == "1, N'a'"
