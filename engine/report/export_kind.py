"""The forms in which a kept run leaves the library: what the library's pages offer and ``app.library.jobs`` writes."""

from enum import StrEnum


class ExportKind(StrEnum):
    """What is exported; the value is the name's ending."""

    JSON = "json"
    CSV = "csv"
    CHART_PNG = "png"
    CHART_SVG = "svg"

    @property
    def label(self) -> str:
        """What a menu says."""
        return _LABELS[self]

    @property
    def is_chart(self) -> bool:
        """Whether it is drawn by a screen's chart, and not written from the library."""
        return self in (ExportKind.CHART_PNG, ExportKind.CHART_SVG)


_LABELS = {
    ExportKind.JSON: "Result as JSON",
    ExportKind.CSV: "Samples as CSV",
    ExportKind.CHART_PNG: "Chart as PNG",
    ExportKind.CHART_SVG: "Chart as SVG",
}
