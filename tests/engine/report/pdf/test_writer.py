import io

import pytest
from PIL import Image
from pypdf import PdfReader

from engine.errors import BadInput
from engine.report.document import Logo, Section, Text
from engine.report.pdf.writer import pdf_of
from tests.engine.report.charted import HOSTILE, a_document, a_table
from tests.engine.report.pages import fonts_of, page_texts


@pytest.fixture(scope="module")
def whole() -> bytes:
    return pdf_of(a_document(a_table(120), *a_document().sections[0].blocks, notes="Seen *twice*."))


def test_the_same_document_is_the_same_file() -> None:
    assert pdf_of(a_document()) == pdf_of(a_document())


def test_all_text_can_be_selected_that_of_the_charts_too(whole: bytes) -> None:
    text = "\n".join(page_texts(whole))
    for part in (HOSTILE, "186 604", "Warning", "Kill primary", "After the switch", "4 databases, HDD", "n_threads=4",
                 "A gap is not known.", "Seen twice.", "24 105 MB"):  # fmt: skip
        assert part in text


def test_every_page_has_its_number_and_the_runs_id(whole: bytes) -> None:
    texts = page_texts(whole)
    assert len(texts) > 3
    for number, text in enumerate(texts, start=1):
        assert f"{number} / {len(texts)}" in text
        assert "Run 20261121-113324-p767" in text


def test_charts_are_drawings_and_no_pictures(whole: bytes) -> None:
    assert not any(page.images for page in PdfReader(io.BytesIO(whole)).pages)


def test_every_font_is_embedded(whole: bytes) -> None:
    fonts = fonts_of(PdfReader(io.BytesIO(whole)))
    assert set(fonts) == {
        "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSansMono",
    }  # fmt: skip
    assert all(fonts.values())


def test_it_tells_what_it_is_and_when_it_was_made(whole: bytes) -> None:
    reader = PdfReader(io.BytesIO(whole))
    assert reader.metadata is not None
    assert reader.metadata.title == a_document().title
    assert reader.metadata.creation_date == a_document().made_at
    assert reader.trailer["/Root"]["/Lang"] == "en"  # type: ignore[index]


def test_sections_stand_in_the_outline() -> None:
    sections = (
        Section(title="Result", blocks=(Text(text="x"),)),
        Section(title="A part of it", level=2, blocks=()),
        Section(title="Method", blocks=(Text(text="y"),)),
    )
    outline = PdfReader(io.BytesIO(pdf_of(a_document(sections=sections)))).outline
    assert [getattr(each, "title", None) or [inner.title for inner in each] for each in outline] == [
        "Result", ["A part of it"], "Method",
    ]  # fmt: skip


def test_a_part_that_comes_first_needs_no_chapter() -> None:
    sections = (Section(title="Part", level=2, blocks=(Text(text="x"),)),)
    assert "Part" in page_texts(pdf_of(a_document(sections=sections)))[0]


def test_no_heading_is_left_alone_at_the_foot_of_a_page() -> None:
    sections = tuple(
        Section(title=f"Heading {number}", blocks=(a_table(number + 3), Text(text="x"))) for number in range(24)
    )
    for text in page_texts(pdf_of(a_document(sections=sections))):
        last = [line for line in text.splitlines() if line.startswith(("Heading", "ds2_", "All", "Of the", "x"))][-1]
        assert not last.startswith("Heading")


def test_a_logo_is_a_png() -> None:
    picture = io.BytesIO()
    Image.new("RGB", (40, 10), "navy").save(picture, "png")
    reader = PdfReader(
        io.BytesIO(pdf_of(a_document(Text(text="x"), logo=Logo(content=picture.getvalue(), format="png"))))
    )
    assert len(reader.pages[0].images) == 1
    with pytest.raises(BadInput, match="give a PNG picture"):
        pdf_of(a_document(Text(text="x"), logo=Logo(content=b"<svg/>", format="svg")))


def test_a_logo_that_is_no_picture_is_refused() -> None:
    with pytest.raises(BadInput, match="not a PNG picture"):
        pdf_of(a_document(Text(text="x"), logo=Logo(content=b"GIF89a", format="png")))
