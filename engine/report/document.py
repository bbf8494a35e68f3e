"""The model of a document: its contents, independent of the output format.

The builders of this package (such as ``one_run`` and ``recovery_evidence``) make a ``Document`` from the library;
``html``, ``pdf`` and the window's preview write it. All text is final: the builders format, sort and compute, the
writers do not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class DocumentKind(StrEnum):
    """The subject of a document; the value is the word of ``spindle report --kind``."""

    RUN = "run"
    COMPARISON = "comparison"
    SET = "set"
    RECOVERY = "recovery"
    CAMPAIGN = "campaign"

    @property
    def label(self) -> str:
        """The text above the title."""
        return _LABELS[self]


_LABELS = {
    DocumentKind.RUN: "Benchmark run",
    DocumentKind.COMPARISON: "Comparison",
    DocumentKind.SET: "Run set",
    DocumentKind.RECOVERY: "Recovery evidence",
    DocumentKind.CAMPAIGN: "Campaign",
}


class LineStyle(StrEnum):
    """The role of a line; the writers choose hue, width and dashes so that lines differ in grayscale as well."""

    SERIES = "series"
    """One of several: the next hue and the next dashes."""
    STEPS = "steps"
    """Like a series, but each value holds from its x until the next one."""
    TOTAL = "total"
    """The sum or the main thing, in the colour of the text and heavier."""
    AVERAGE = "average"
    """What the main thing comes to over a longer time: in the colour of the text too, dashed and thin."""
    BACKGROUND = "background"
    """What is only there to be compared with: thin and pale."""


class BandTone(StrEnum):
    """The meaning of a tinted span, which decides its tint."""

    PHASE = "phase"
    PLAIN = "plain"
    """Only named, not tinted."""
    LOW = "low"
    """Under the threshold after a fault."""
    OUT = "out"
    """Without any order after a fault."""


class AxisFormat(StrEnum):
    """The format of the values on an x-axis."""

    NUMBER = "number"
    CLOCK = "clock"
    """Seconds as minutes and seconds: 12:41, 1:02:41, −0:30."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table; numbers are aligned to the right."""

    title: str
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class Text:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Notes:
    """The user's own text in Markdown; HTML in it is shown as text."""

    markdown: str


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Lines in a monospaced font, such as a parameter file."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Names with their values, one in each line."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One of the most important figures."""

    name: str
    value: str
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class KeyFigures:
    """The two to six figures at the begin of a document, side by side."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True, kw_only=True)
class DataTable:
    """A table; every row, and ``total`` (the last line, set off), has one text for each column."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        every_row = self.rows if self.total is None else (*self.rows, self.total)
        for row in every_row:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.caption!r}: {row!r} does not fill {len(self.columns)} columns")


@dataclass(frozen=True, kw_only=True)
class Warn:
    """A warning about the figures; shown with a symbol and the word."""

    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A curve: ``x`` and ``y`` have the same length; NaN in ``y`` is unknown and not drawn.

    ``hue`` is the number of its hue, from 0; ``None`` is the next unused one.
    """

    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    style: LineStyle = LineStyle.SERIES
    hue: int | None = None

    def __post_init__(self) -> None:
        if self.x.shape != self.y.shape or self.x.ndim != 1:
            raise ValueError(f"{self.label!r}: x has the shape {self.x.shape}, y has {self.y.shape}")


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A moment on the x-axis with its label; faults are drawn more strongly."""

    x: float
    label: str
    is_fault: bool = False


@dataclass(frozen=True, kw_only=True)
class Band:
    """A span of the x-axis that is tinted, such as the warm-up; its label may be empty."""

    x0: float
    x1: float
    label: str = ""
    tone: BandTone = BandTone.PHASE


@dataclass(frozen=True, kw_only=True)
class Level:
    """A horizontal line, such as 95 % of the baseline."""

    y: float
    label: str


@dataclass(frozen=True, kw_only=True, eq=False)
class LineChart:
    """Curves over one x-axis. Axis labels include the unit: ``OPM``, ``Response time, ms``.

    The y-axis begins at 0, or ``is_logarithmic``; then values of 0 are not drawn. ``alt`` describes the chart for
    readers who can't see it.
    """

    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    alt: str
    is_logarithmic: bool = False
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    level: Level | None = None
    x_format: AxisFormat = AxisFormat.NUMBER
    height_mm: float = 70.0


@dataclass(frozen=True, kw_only=True)
class Bars:
    """One series of bars: a value for each group of the chart; ``None`` is unknown and has no bar."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class BarChart:
    """Grouped bars from 0 upwards, labelled with their values, which have ``digits`` decimals.

    ``alt`` describes the chart for readers who can't see it.
    """

    y_label: str
    groups: tuple[str, ...]
    bars: tuple[Bars, ...]
    alt: str
    digits: int | Callable[[float], int] = 0
    level: Level | None = None
    height_mm: float = 70.0

    def __post_init__(self) -> None:
        for bars in self.bars:
            if len(bars.values) != len(self.groups):
                raise ValueError(f"{bars.label!r}: {len(bars.values)} values for {len(self.groups)} groups")


Chart = LineChart | BarChart


@dataclass(frozen=True, kw_only=True)
class ChartFigure:
    """A chart with its caption."""

    caption: str
    chart: Chart
    note: str = ""


Block = Text | Notes | Listing | Facts | KeyFigures | DataTable | Warn | ChartFigure


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading with blocks; ``level`` is 1 for a chapter, 2 for a part of the preceding chapter."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 1


@dataclass(frozen=True, kw_only=True)
class Logo:
    """The user's picture at the head of a document: the content of a file, and ``png`` or ``svg``."""

    content: bytes
    format: str


@dataclass(frozen=True, kw_only=True)
class Document:
    """A whole document. ``made_at`` is in UTC.

    ``footer`` is printed at the foot of each page beside its number: the id of the run, or what else the document is
    about. ``notes`` are the user's, in Markdown, and come before the first section.
    """

    kind: DocumentKind
    title: str
    subtitle: str
    made_at: datetime
    sections: tuple[Section, ...]
    footer: str = ""
    notes: str = ""
    logo: Logo | None = None
