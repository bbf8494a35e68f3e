import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadInput
from engine.files.csv_table import read_rows, seconds_of, whole_of

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=("Cs",)), max_size=12)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5), st.sampled_from(",;\t"))
def test_csv_of_a_spreadsheet_is_parsed(rows: list[tuple[str, str]], delimiter: str) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter).writerows([("Name", "Count"), *rows])
    expected = [{"Name": one.strip(), "Count": other.strip()} for one, other in rows if one.strip() or other.strip()]
    if not expected:
        with pytest.raises(BadInput, match="holds no rows"):
            read_rows(written.getvalue(), "a.csv", required=("name", "count"))
        return
    assert [row.cells for row in read_rows(written.getvalue(), "a.csv", required=("name", "count"))] == expected


def test_rows_know_their_lines_and_short_ones_end_in_empty_cells() -> None:
    rows = read_rows('\ufeff\nname;note\n\na;"two\nlines"\nb\n', "a.csv", required=("name",))
    assert [(row.line, row.cells) for row in rows] == [
        (5, {"name": "a", "note": "two\nlines"}),
        (6, {"name": "b", "note": ""}),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "a.csv holds no rows"),
        ("name,count", "a.csv holds no rows"),
        ("name\nx", "has no column 'count'; it needs name, count"),
        ("name,count,Name\nx,1,y", "has the column 'name' more than once"),
        ("name,count\nx,1,200", "line 2 has 3 cells for 2 columns"),
        ('name,count\n"x,1', "is not a table in CSV"),
    ],
)
def test_invalid_table_is_rejected_with_its_line(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read_rows(text, "a.csv", required=("name", "count"))


@given(st.integers(0, 10**14))
def test_whole_numbers_with_commas_between_thousands_or_without(number: int) -> None:
    assert whole_of(f"{number}", "opm") == whole_of(f" {number:,} ", "opm") == number


@pytest.mark.parametrize("text", ["", "-1", "1.5", "1,00", "12,3456", "many", "1e3"])
def test_invalid_whole_number_is_rejected(text: str) -> None:
    with pytest.raises(BadInput, match=r"opm is '.*'; give a whole number from 0"):
        whole_of(text, "opm")


@pytest.mark.parametrize("text", ["", "-1", "soon", "nan", "inf"])
def test_invalid_seconds_are_rejected(text: str) -> None:
    assert seconds_of("0.5", "back_seconds") == 0.5
    with pytest.raises(BadInput, match=r"back_seconds is '.*'; give seconds"):
        seconds_of(text, "back_seconds")
