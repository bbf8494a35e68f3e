"""Charts and a whole document for the tests of their writers."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from engine.report.document import (
    AxisFormat,
    Band,
    BarChart,
    Bars,
    Block,
    ChartFigure,
    Column,
    DataTable,
    Document,
    DocumentKind,
    Facts,
    Figure,
    KeyFigures,
    Level,
    Line,
    LineChart,
    LineStyle,
    Listing,
    Mark,
    Notes,
    Section,
    Text,
    Warn,
)

HOSTILE = "<script>alert('x')</script> & \"quoted\""


def a_line_chart(**changed: Any) -> LineChart:
    """A minute of two lines, of which the total has a gap from 20 s to 30 s."""
    x = np.arange(60.0)
    total, client = np.full(60, 4_000.0), np.full(60, 1_000.0)
    total[20:30] = np.nan
    values: dict[str, Any] = {
        "x_label": "Time, min:s",
        "y_label": "OPM",
        "lines": (
            Line(label="All clients", x=x, y=total, style=LineStyle.TOTAL),
            Line(label="ds2_1", x=x, y=client),
        ),
        "marks": (Mark(x=20, label="Kill primary", is_fault=True), Mark(x=20.4, label="After the switch")),
        "bands": (Band(x0=0, x1=15, label="warm-up"),),
        "level": Level(y=3_800, label="95 % of the baseline"),
        "x_format": AxisFormat.CLOCK,
        "alt": "Curves of two clients.",
    }
    return LineChart(**(values | changed))


def a_bar_chart(**changed: Any) -> BarChart:
    """Two results with two kinds of bars, one of them unknown."""
    values: dict[str, Any] = {
        "y_label": "OPM",
        "groups": ("4 databases, HDD", "4 databases, SSD"),
        "bars": (
            Bars(label="measured", values=(20_736.0, 186_604.0)),
            Bars(label="published", values=(24_085.0, None)),
        ),
        "alt": "Bars of two results.",
    }
    return BarChart(**(values | changed))


def a_table(count: int = 3, **changed: Any) -> DataTable:
    """Clients with their OPM."""
    values: dict[str, Any] = {
        "caption": "Clients",
        "columns": (Column(title="Client"), Column(title="OPM", is_number=True), Column(title="Remark")),
        "rows": tuple((f"ds2_{number}", f"46\u202f{number:03}", HOSTILE) for number in range(1, count + 1)),
        "total": ("All clients", "186\u202f604", ""),
        "note": "Of the measured seconds.",
    }
    return DataTable(**(values | changed))


def a_document(*blocks: Block, **changed: Any) -> Document:
    """A document of one section with these blocks, or with one of every kind of block."""
    shown = blocks or (
        KeyFigures(figures=(Figure(name="Orders per minute", value="186\u202f604", unit="OPM"),)),
        Warn(text=f"Not steady: {HOSTILE}"),
        ChartFigure(caption="The orders of every second.", chart=a_line_chart(), note="A gap is not known."),
        ChartFigure(caption="The results.", chart=a_bar_chart()),
        a_table(),
        Facts(rows=(("Processor", "EPYC"), ("Memory", "24\u202f105\u202fMB"))),
        Listing(text="target=localhost\nn_threads=4\n"),
        Notes(markdown="Seen *twice*."),
        Text(text=f"A paragraph: {HOSTILE}"),
    )
    values: dict[str, Any] = {
        "kind": DocumentKind.RUN,
        "title": f"Four stores {HOSTILE}",
        "subtitle": "Run 20261121-113324-p767",
        "made_at": datetime(2026, 11, 21, 12, 0, tzinfo=UTC),
        "footer": "Run 20261121-113324-p767",
        "sections": (Section(title="Result", blocks=shown), Section(title="Part", level=2, blocks=())),
    }
    return Document(**(values | changed))
