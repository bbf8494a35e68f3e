"""The formats in which a stored run is exported: offered by the library's pages and written by ``app.library.jobs``."""

from enum import StrEnum


class ExportKind(StrEnum):
    """The format of an export; the value is the file extension."""

    JSON = "json"
    CSV = "csv"
    HOSTS_CSV = "hosts.csv"
    CHART_PNG = "png"
    CHART_SVG = "svg"

    @property
    def label(self) -> str:
        """The text in a menu."""
        return _LABELS[self]

    @property
    def is_chart(self) -> bool:
        """Whether it is drawn by a chart of the screen rather than written from the library."""
        return self in (ExportKind.CHART_PNG, ExportKind.CHART_SVG)


_LABELS = {
    ExportKind.JSON: "Result as JSON",
    ExportKind.CSV: "Samples as CSV",
    ExportKind.HOSTS_CSV: "Readings of hosts as CSV",
    ExportKind.CHART_PNG: "Chart as PNG",
    ExportKind.CHART_SVG: "Chart as SVG",
}
