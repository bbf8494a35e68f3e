"""Slow work of reports: making them for the preview, and writing them. Run in the background by the window."""

from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.input_text import read_bytes
from app.library.jobs import IsCancelled, OnProgress
from engine.errors import Cancelled
from engine.files.atomic import atomic_file
from engine.report.document import ChartFigure, Document, Logo
from engine.report.document_format import document_bytes, format_of, logo_of
from engine.report.making import ReportRequest, make_document

if TYPE_CHECKING:
    from engine.library.library import Library

_READ_SHARE = 0.7


def previewed(
    library: "Library", request: ReportRequest, *, on_progress: OnProgress, cancelled: IsCancelled
) -> tuple[Document, list[bytes]]:
    """A document, and its charts as SVG in order. Raises ``UserError`` and ``Cancelled``."""
    document = make_document(
        library,
        request,
        on_progress=lambda doing, share: on_progress(doing, _READ_SHARE * share),
        cancelled=cancelled,
    )
    return document, drawings(document, on_progress=on_progress, cancelled=cancelled)


def drawings(document: Document, *, on_progress: OnProgress, cancelled: IsCancelled) -> list[bytes]:
    """The charts of a document as SVG, for paper. Raises ``Cancelled``."""
    from engine.report.charts import drawing

    figures = [block for section in document.sections for block in section.blocks if isinstance(block, ChartFigure)]
    drawn = []
    for number, figure in enumerate(figures):
        if cancelled():
            raise Cancelled
        on_progress("Drawing the charts", _READ_SHARE + (1 - _READ_SHARE) * number / len(figures))
        drawn.append(drawing.svg(figure.chart).encode())
    return drawn


def write_document(document: Document, path: Path, *, on_progress: OnProgress, cancelled: IsCancelled) -> Path:
    """Write a document in the format of its file's suffix, atomically; returns the file.

    Raises ``UserError`` and ``Cancelled``.
    """
    form = format_of(path.name)
    on_progress(f"Writing {path.name}", 0.0)
    content = document_bytes(document, form)
    if cancelled():
        raise Cancelled
    with atomic_file(path) as file:
        file.write(content)
    return path


def read_logo(path: Path) -> Logo:
    """A picture for the head of a document. Raises ``BadInput`` for a file that is not one."""
    return logo_of(read_bytes(path), path.name)
