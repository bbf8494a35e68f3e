"""Reads what is on the pages of a PDF, for the tests of its writers."""

import io
from typing import Any

from pypdf import PdfReader
from reportlab.platypus import Flowable, SimpleDocTemplate


def reader_of(flowables: list[Flowable], height_pt: float = 842) -> PdfReader:
    """A PDF of these flowables alone."""
    whole = io.BytesIO()
    SimpleDocTemplate(whole, pagesize=(595, height_pt), invariant=1).build(list(flowables))
    return PdfReader(whole)


def page_texts(pdf: bytes | PdfReader) -> list[str]:
    """The text of each page, with ordinary spaces."""
    reader = pdf if isinstance(pdf, PdfReader) else PdfReader(io.BytesIO(pdf))
    return [page.extract_text().replace("\xa0", " ").replace("\u202f", " ") for page in reader.pages]


def fonts_of(reader: PdfReader) -> dict[str, bool]:
    """The fonts that some text is set in, by their names without prefixes, and whether each is embedded."""
    fonts: dict[str, bool] = {}

    def see(text: str, _matrix: Any, _text_matrix: Any, font: Any, _size: float) -> None:
        if text.strip() and font is not None:
            (inner,) = font.get("/DescendantFonts", [font])
            descriptor = inner.get_object().get("/FontDescriptor", {})
            name = str(font["/BaseFont"]).lstrip("/")
            fonts[name.partition("+")[2] or name] = any(key.startswith("/FontFile") for key in descriptor)

    for page in reader.pages:
        page.extract_text(visitor_text=see)
    return fonts
