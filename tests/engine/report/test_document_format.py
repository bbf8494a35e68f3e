import pytest

from engine.errors import BadInput
from engine.report.document import Document, DocumentKind, Section, Text
from engine.report.document_format import MOST_LOGO_BYTES, DocumentFormat, document_bytes, format_of, logo_of
from tests.engine.report.reported import MADE_AT

DOCUMENT = Document(
    kind=DocumentKind.COMPARISON,
    title="A title",
    subtitle="",
    made_at=MADE_AT,
    sections=(Section(title="Only", blocks=(Text(text="Words."),)),),
)


@pytest.mark.parametrize(("name", "form"), [("a.html", "html"), ("A.HTM", "html"), ("b.c.pdf", "pdf")])
def test_format_follows_the_file_extension(name: str, form: str) -> None:
    assert format_of(name) is DocumentFormat(form)


@pytest.mark.parametrize("name", ["a.docx", "html", "a", ".pdf"])
def test_other_extensions_are_rejected(name: str) -> None:
    with pytest.raises(BadInput, match=r"\.html or \.pdf"):
        format_of(name)


def test_each_format_is_written() -> None:
    assert b"A title" in document_bytes(DOCUMENT, DocumentFormat.HTML)
    assert document_bytes(DOCUMENT, DocumentFormat.PDF).startswith(b"%PDF")
    assert {form.label for form in DocumentFormat} == {"HTML, one file", "PDF"}


def test_a_logo_is_known_by_its_content() -> None:
    assert logo_of(b"\x89PNG\r\n\x1a\nrest", "logo").format == "png"
    assert logo_of(b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "logo").format == "svg"
    with pytest.raises(BadInput, match=r"logo photo\.jpg is neither PNG nor SVG"):
        logo_of(b"\xff\xd8", "photo.jpg")
    with pytest.raises(BadInput, match="at most 2000000"):
        logo_of(b"\x89PNG\r\n\x1a\n" + bytes(MOST_LOGO_BYTES), "huge.png")
