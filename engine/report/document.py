"""The plain model of a document: what the reports say, free of how it is written.

The builders of this room (``one_run``, ``recovery_evidence`` and their neighbours) make a ``Document`` from the
library; ``html``, ``pdf`` and the window's preview write it. All text is finished: figures are formatted by
``figures``, and nobody after the builders rounds, sorts or computes.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray


class DocumentKind(StrEnum):
    """What a document is about; the value is the word of ``spindle report --kind``."""

    RUN = "run"
    COMPARISON = "comparison"
    SET = "set"
    RECOVERY = "recovery"

    @property
    def label(self) -> str:
        """What stands over the title."""
        return _LABELS[self]


_LABELS = {
    DocumentKind.RUN: "Benchmark run",
    DocumentKind.COMPARISON: "Comparison",
    DocumentKind.SET: "Run set",
    DocumentKind.RECOVERY: "Recovery evidence",
}


class LineStyle(StrEnum):
    """What a line is; the writers choose hue, weight and dashes so that lines differ in grey print as well."""

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
    """What a tinted span means, and so its tint."""

    PHASE = "phase"
    LOW = "low"
    """Under the threshold after a fault."""
    OUT = "out"
    """Without any order after a fault."""


class AxisFormat(StrEnum):
    """How the values of an x-axis are written."""

    NUMBER = "number"
    CLOCK = "clock"
    """Seconds as minutes and seconds: 12:41, 1:02:41, −0:30."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table; numbers stand to the right."""

    title: str
    is_number: bool = False


@dataclass(frozen=True, kw_only=True)
class Text:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Notes:
    """The user's own words in Markdown; HTML within them is shown as it was typed."""

    markdown: str


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Lines that stand as they are, each letter as wide as any other, such as a parameter file."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Names and their values, a line each."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One of the few numbers that a reader looks for first."""

    name: str
    value: str
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class KeyFigures:
    """The figures that a document opens with, two to six of them, side by side."""

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
    """What a reader must know before believing the figures; shown with a sign and the word."""

    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Line:
    """A curve: ``x`` and ``y`` of one length; where ``y`` is NaN, nothing is known and nothing is drawn.

    ``hue`` is the place of a series among the hues, from 0; ``None`` is the next that no other has taken in order.
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
    """A moment on the x-axis with its label; a fault is drawn heavier than other moments."""

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
    """A height that the curves are held against, such as 95 % of the baseline."""

    y: float
    label: str


@dataclass(frozen=True, kw_only=True, eq=False)
class LineChart:
    """Curves over one x-axis. Labels of axes carry their unit: ``OPM``, ``Response time, ms``.

    The y-axis begins at 0. ``alt`` says what the chart shows to somebody who does not see it.
    """

    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    alt: str
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    level: Level | None = None
    x_format: AxisFormat = AxisFormat.NUMBER
    height_mm: float = 70.0


@dataclass(frozen=True, kw_only=True)
class Bars:
    """One kind of bar: a value for each group of the chart; ``None`` is not known and has no bar."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class BarChart:
    """Bars side by side in groups, from 0 upwards, each with its value; ``digits`` are the decimals of those.

    ``alt`` says what the chart shows to somebody who does not see it.
    """

    y_label: str
    groups: tuple[str, ...]
    bars: tuple[Bars, ...]
    alt: str
    digits: int = 0
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
    """A heading and what stands under it; ``level`` is 1 for a chapter, 2 for a part of the chapter before it."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 1


@dataclass(frozen=True, kw_only=True)
class Logo:
    """The user's picture at the head of a document: the bytes of a file, and ``png`` or ``svg``."""

    content: bytes
    format: str


@dataclass(frozen=True, kw_only=True)
class Document:
    """A whole document.

    ``made_at`` is in UTC. ``footer`` stands at the foot of each page beside its number: the id of the run, or of what
    else the document is about. ``notes`` are the user's, in Markdown, and come before the first section.
    """

    kind: DocumentKind
    title: str
    subtitle: str
    made_at: datetime
    sections: tuple[Section, ...]
    footer: str = ""
    notes: str = ""
    logo: Logo | None = None
