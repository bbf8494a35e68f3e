"""The file formats of documents, and the user's own contents: logo and notes.

Called by ``spindle report`` and by the window's report dialog; each writer is imported when it is needed.
"""

from enum import StrEnum
from pathlib import PurePath

from engine.errors import BadInput
from engine.report.document import Document, Logo

MOST_LOGO_BYTES = 2_000_000
_PNG = b"\x89PNG\r\n\x1a\n"


class DocumentFormat(StrEnum):
    """The format of a document; the value is the file extension."""

    HTML = "html"
    PDF = "pdf"

    @property
    def label(self) -> str:
        """The text in a list of file types."""
        return {DocumentFormat.HTML: "HTML, one file", DocumentFormat.PDF: "PDF"}[self]


def format_of(file_name: str) -> DocumentFormat:
    """The format with the file's extension. Raises ``BadInput`` for another extension."""
    ending = PurePath(file_name).suffix.lower().removeprefix(".")
    if ending == "htm":
        return DocumentFormat.HTML
    if ending not in tuple(DocumentFormat):
        raise BadInput(f"the report's file is '{file_name}'; give it a name that ends in .html or .pdf.")
    return DocumentFormat(ending)


def document_bytes(document: Document, form: DocumentFormat) -> bytes:
    """The content of the file."""
    if form is DocumentFormat.PDF:
        from engine.report.pdf.writer import pdf_of

        return pdf_of(document)
    from engine.report.html import html_of

    return html_of(document).encode()


def logo_of(content: bytes, source: str) -> Logo:
    """A logo from the content of a picture file. Raises ``BadInput`` that names ``source`` for anything but PNG and
    SVG."""
    if len(content) > MOST_LOGO_BYTES:
        raise BadInput(f"the logo {source} has {len(content)} bytes; give a picture of at most {MOST_LOGO_BYTES}.")
    if content.startswith(_PNG):
        return Logo(content=content, format="png")
    if b"<svg" in content[:4096]:
        return Logo(content=content, format="svg")
    raise BadInput(f"the logo {source} is neither PNG nor SVG; give one of these.")
