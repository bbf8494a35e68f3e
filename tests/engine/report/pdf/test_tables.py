from reportlab.platypus import KeepTogether, Table

from engine.report.document import Column, DataTable
from engine.report.pdf.tables import table_flowables, table_min_height_pt
from engine.report.pdf.text import styles
from tests.engine.report.charted import a_table
from tests.engine.report.pages import page_texts, reader_of

FRAME_PT = 450.0


def tables(table: DataTable, frame_pt: float = FRAME_PT) -> list[Table]:
    made = []
    for flowable in table_flowables(table, styles(), frame_pt):
        inner = flowable._content if isinstance(flowable, KeepTogether) else [flowable]
        made += [each for each in inner if isinstance(each, Table)]
    return made


def wide(columns: int, rows: int = 2) -> DataTable:
    return DataTable(
        caption="Wide",
        columns=(Column(title="Client"), *(Column(title=f"Run {n}", is_number=True) for n in range(1, columns + 1))),
        rows=tuple((f"ds2_{row}", *(f"{row}00\u202f{n:03}" for n in range(1, columns + 1))) for row in range(rows)),
    )


def test_a_long_table_has_its_heads_on_every_page() -> None:
    texts = page_texts(reader_of(list(table_flowables(a_table(200), styles(), FRAME_PT))))
    assert len(texts) > 2
    assert all("Client" in text and "Remark" in text for text in texts)
    assert "".join(texts).count("ds2_") == 200
    assert "All clients" in texts[-1]


def test_a_short_table_stays_with_its_caption_and_note() -> None:
    made = [flow for filler in range(8) for flow in table_flowables(a_table(20, caption=f"T{filler}"), styles(), 450)]
    for text in page_texts(reader_of(made)):
        captions = [line for line in text.splitlines() if line.startswith("T") and line[1:].isdigit()]
        assert text.count("Of the measured seconds.") == len(captions) == text.count("All clients")


def test_a_table_is_as_wide_as_what_is_in_it() -> None:
    (narrow,) = tables(wide(2))
    (wider,) = tables(wide(5))
    assert sum(narrow._colWidths) < sum(wider._colWidths) <= FRAME_PT


def test_too_many_columns_are_parted_and_each_part_begins_with_the_first() -> None:
    table = wide(30)
    parts = tables(table)
    assert len(parts) > 1
    assert all(sum(part._colWidths) <= FRAME_PT + 0.01 for part in parts)
    text = "".join(page_texts(reader_of(list(table_flowables(table, styles(), FRAME_PT)))))
    assert text.count("ds2_0") == len(parts)
    assert all(f"100 {number:03}" in text for number in range(1, 31))
    assert "Wide (continued)" in text


def test_a_cell_that_is_longer_than_a_page_is_parted() -> None:
    table = a_table(rows=(("ds2_1", "1", "word " * 3_000),), total=None)
    texts = page_texts(reader_of(list(table_flowables(table, styles(), FRAME_PT)), height_pt=400))
    assert sum(text.count("word") for text in texts) == 3_000


def test_an_empty_table_and_one_of_a_single_column_are_set() -> None:
    assert len(tables(a_table(0, total=None))) == 1
    single = DataTable(caption="One", columns=(Column(title="Only"),), rows=(("x",),))
    assert len(tables(single)) == 1


def test_a_short_table_needs_room_for_all_of_it() -> None:
    assert table_min_height_pt(a_table(20)) > table_min_height_pt(a_table(5)) > table_min_height_pt(a_table(100)) > 0


def test_a_short_table_of_high_rows_begins_where_there_is_room() -> None:
    high = a_table(rows=tuple((f"ds2_{row}", "1", "word " * 200) for row in range(20)), total=None)
    assert not any(isinstance(each, KeepTogether) for each in table_flowables(high, styles(), FRAME_PT))


def test_an_id_is_not_broken_where_other_words_can_be() -> None:
    """The steps of a journal take what room there is, beside the ids of its runs."""
    columns = tuple(Column(title=title) for title in ("Step", "Began", "Why", "Run"))
    row = ("stores per target 24, think time 100 ms: run " * 2, "2026-11-26 02:50 UTC", "words " * 30)
    table = DataTable(caption="Journal", columns=columns, rows=((*row, "20261126-024241-2mhe"),))
    text = "".join(page_texts(reader_of(list(table_flowables(table, styles(), FRAME_PT)))))
    assert "20261126-024241-2mhe" in text
