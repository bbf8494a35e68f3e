import pytest
from reportlab.platypus import Paragraph

from engine.report.pdf.text import BODY, MONO, SLANTED, STRONG, markup, styles, unbroken, width_pt
from tests.engine.report.pages import fonts_of, page_texts, reader_of


@pytest.fixture
def body() -> Paragraph:
    return styles()["body"]


def test_markup_is_text(body: Paragraph) -> None:
    reader = reader_of([Paragraph(markup("<b>a & b</b> &amp; done"), body)])
    assert "<b>a & b</b> &amp; done" in page_texts(reader)[0]


def test_figures_keep_their_thin_spaces(body: Paragraph) -> None:
    figure = "186\u202f604\u202fOPM"
    assert figure.replace("\u202f", "\xa0") == unbroken(figure)
    narrow = [Paragraph(markup(f"{'x' * letters} {figure}"), body) for letters in range(60, 90)]
    text = "".join(page_texts(reader_of(narrow)))
    assert text.count("186 604 OPM") == len(narrow)


@pytest.mark.parametrize("font", [BODY, STRONG, SLANTED, MONO])
def test_the_fonts_have_what_documents_write(font: str) -> None:
    written = "0OPMäßéЖΩ⚠→•−–…×÷≥·“”\u00a0"
    assert markup(written, font) == written


def test_a_sign_that_the_font_lacks_is_taken_from_another() -> None:
    notes = styles()["listing"]
    reader = reader_of([Paragraph(markup("the ǆep server", MONO), notes)])
    assert "the ǆep server" in page_texts(reader)[0]
    assert fonts_of(reader) == {"DejaVuSansMono": True, "DejaVuSans": True}


@pytest.mark.parametrize(
    ("text", "font"),
    [("冗長化サーバの試験", "HeiseiKakuGo-W5"), ("高可用", "STSong-Light"), ("이중화", "HYSMyeongJo-Medium")],
)
def test_east_asian_text_is_left_to_the_viewer(text: str, font: str) -> None:
    assert markup(f"ft {text}") == f'ft <font name="{font}">{text}</font>'


def test_strong_text_is_wider(body: Paragraph) -> None:
    strong = styles()["table_caption"]
    assert strong.fontName == STRONG
    assert styles()["cell"].fontName == BODY
    assert width_pt("186\u202f604", strong) > width_pt("186\u202f604", styles()["cell"]) > 0


def test_figures_of_one_length_are_of_one_width() -> None:
    cell = styles()["cell"]
    assert {round(width_pt(digit * 6, cell), 6) for digit in "0123456789"} == {round(width_pt("000000", cell), 6)}
