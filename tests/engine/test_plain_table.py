import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import figure_text
from engine.plain_table import Figure, PlainTable, figure_of, plain_text


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        (figure_text.whole(186_604), Figure("186604")),
        (figure_text.decimal(-1_204.5), Figure("-1204.5")),
        (figure_text.signed(12_345.6, 1), Figure("12345.6")),
        (figure_text.percent(29.1), Figure("29.1", "%")),
        (figure_text.duration(1.9), Figure("1.9", "s")),
        (figure_text.duration(245), Figure("245", "s")),
        (figure_text.duration(3_761), Figure("3761", "s")),
        (figure_text.times(2.2), Figure("2.20", "×")),
        (figure_text.clock(761), Figure("761", "s")),
        (figure_text.clock(-3_761), Figure("-3761", "s")),
        ("0:34.0", Figure("34.0", "s")),
        ("100GB", Figure("100", "GB")),
        ("≈ 1\u202f720\u202f016", Figure("1720016")),
        (figure_text.UNKNOWN, None),
        ("", None),
        ("24 × 128", None),
        ("18.6.1", None),
        (figure_text.moment(datetime(2026, 11, 21, tzinfo=UTC)), None),
    ],
)
def test_figures_are_distinguished_from_texts(text: str, figure: Figure | None) -> None:
    assert figure_of(text) == figure


@given(st.floats(-1e12, 1e12), st.integers(0, 4))
def test_every_figure_that_is_shown_is_read_back_as_its_number(number: float, digits: int) -> None:
    figure = figure_of(figure_text.decimal(number, digits))
    assert figure is not None
    assert float(figure.number) == pytest.approx(round(number, digits))
    assert figure.number.isascii()


def test_a_shared_unit_moves_to_the_title_and_unknown_is_empty() -> None:
    table = PlainTable.of(
        ("Name", "OPM", "Variability", "p95 ms"),
        [("20\u202fms", "186\u202f604", "0.15\u202f%", "11.8"), ("b", "–", "0.10\u202f%", "9.95")],
        numbers={1, 2, 3},
    )
    assert table.titles == ("Name", "OPM", "Variability (%)", "p95 ms")
    assert table.rows == (("20\u202fms", "186604", "0.15", "11.8"), ("b", "", "0.10", "9.95"))


def test_a_unit_that_the_title_names_is_not_repeated() -> None:
    assert PlainTable.of(("Mean, ms",), [("4.0\u202fms",)], numbers={0}).titles == ("Mean, ms",)


def test_rows_with_units_of_their_own_get_a_column_of_them() -> None:
    table = PlainTable.of(
        ("Figure", "All", "ds2 #1"),
        [
            ("Black-out", "1.9\u202fs", "2.0\u202fs"),
            ("Lowest OPM", "76\u202f010", ""),
            ("Lowest", "88.8\u202f% (888\u202f888\u202fOPM)", "1.5\u202f%"),
        ],
        numbers={1, 2},
    )
    assert table.titles == ("Figure", "Unit", "All", "ds2 #1")
    assert table.rows == (
        ("Black-out", "s", "1.9", "2.0"),
        ("Lowest OPM", "", "76010", ""),
        ("Lowest", "%", "88.8 % (888888 OPM)", "1.5"),
    )


def test_a_single_unit_among_plain_numbers_stays_with_its_number() -> None:
    table = PlainTable.of(
        ("Client", "OPM"),
        [("ds2 #1", "15\u202f506"), ("total", "31\u202f012"), ("variability", "0.15\u202f%")],
        numbers={1},
    )
    assert table.titles == ("Client", "OPM")
    assert [row[1] for row in table.rows] == ["15506", "31012", "0.15%"]


def test_sentences_are_not_changed() -> None:
    assert plain_text("−2.5\u202f% (186\u202f604\u202fOPM)") == "-2.5 % (186604 OPM)"


def test_tabs_csv_and_markdown_hold_the_same_cells() -> None:
    table = PlainTable(("a|b", "n"), (('x\ty, "z"\nw', "1"), ("", "-2.5")))
    assert table.as_tabs() == 'a|b\tn\nx y, "z" w\t1\n\t-2.5'
    assert list(csv.reader(io.StringIO(table.as_csv()))) == [["a|b", "n"], ['x\ty, "z"\nw', "1"], ["", "-2.5"]]
    assert table.as_markdown(numbers={1}).splitlines()[:2] == ["| a\\|b | n |", "| --- | --: |"]
