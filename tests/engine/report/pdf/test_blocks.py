import io

import pytest
from PIL import Image
from reportlab.platypus import Flowable, Table

from engine.errors import BadInput
from engine.report.charts import drawing
from engine.report.document import Block, Facts, Figure, KeyFigures, Listing, Logo, Section, Text
from engine.report.pdf.blocks import FRAME_PT, ChartBox, head_flowables, section_flowables
from engine.report.pdf.text import styles
from tests.engine.report.charted import a_document, a_line_chart
from tests.engine.report.pages import page_texts, reader_of


def flowables(*blocks: Block) -> list[Flowable]:
    return list(section_flowables(Section(title="Result", blocks=blocks), 0, "section-0", [], styles()))


@pytest.mark.parametrize(("count", "rows"), [(2, [2]), (4, [4]), (5, [3, 2]), (6, [3, 3]), (7, [4, 3])])
def test_key_figures_stand_in_even_rows(count: int, rows: list[int]) -> None:
    keys = KeyFigures(figures=tuple(Figure(name=f"n{number}", value="1") for number in range(count)))
    assert [len(each._colWidths) for each in flowables(keys) if isinstance(each, Table)] == rows


def test_many_facts_go_on_on_the_next_page() -> None:
    facts = Facts(rows=tuple((f"name {number}", "word " * 60) for number in range(60)))
    texts = page_texts(reader_of(flowables(facts)))
    assert len(texts) > 1
    assert all(sum(f"name {number}\n" in text for text in texts) == 1 for number in range(60))


def test_section_without_blocks_is_only_a_heading() -> None:
    assert page_texts(reader_of(flowables(Facts(rows=()))))[0].split() == ["Result"]
    assert page_texts(reader_of(flowables()))[0].split() == ["Result"]


def test_a_long_line_of_a_listing_is_broken_within_the_page() -> None:
    text = page_texts(reader_of(flowables(Listing(text="x" * 300))))[0]
    assert text.count("x") == 300
    assert max(len(line) for line in text.splitlines()) < 100


def test_chart_box_records_its_position() -> None:
    box = ChartBox(drawing.pdf(a_line_chart()), 400, 200)
    reader_of([*flowables(Text(text="before")), box])
    assert box.page == 0
    assert 0 < box.corner[1] < 842 - 200


def test_logo_is_scaled_to_fit() -> None:
    picture = io.BytesIO()
    Image.new("RGB", (4_000, 100), "navy").save(picture, "png")
    logo = next(head_flowables(a_document(logo=Logo(content=picture.getvalue(), format="png")), styles()))
    width, height = logo.wrap(FRAME_PT, 800)
    assert width / height == pytest.approx(40)
    assert width < FRAME_PT / 2


@pytest.mark.parametrize("logo", [Logo(content=b"<svg/>", format="svg"), Logo(content=b"\x89PNG\r\n", format="png")])
def test_a_logo_that_can_not_be_set_is_refused(logo: Logo) -> None:
    with pytest.raises(BadInput, match="give"):
        list(head_flowables(a_document(logo=logo), styles()))
