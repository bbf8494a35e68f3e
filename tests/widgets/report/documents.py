"""A document with every kind of block, for the tests of the preview."""

from datetime import UTC, datetime

import numpy as np

from engine.report.document import (
    BarChart,
    Bars,
    ChartFigure,
    Column,
    DataTable,
    Document,
    DocumentKind,
    Facts,
    Figure,
    KeyFigures,
    Line,
    LineChart,
    Listing,
    Notes,
    Section,
    Text,
    Warn,
)

SECONDS = np.arange(5.0)
_SQUARE = b'<rect width="40" height="20" fill="#ff0000"/>'
RED = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">' + _SQUARE + b"</svg>"
BLUE = RED.replace(b"#ff0000", b"#0000ff")
CURVE = LineChart(x_label="s", y_label="OPM", lines=(Line(label="total", x=SECONDS, y=SECONDS),), alt="OPM rises")
BARS = BarChart(y_label="OPM", groups=("one",), bars=(Bars(label="OPM", values=(1.0,)),), alt="One bar")
CLIENTS = DataTable(
    caption="Clients",
    columns=(Column(title="Client"), Column(title="OPM", is_number=True)),
    rows=(("ds2_1", "46\u202f627"), ("ds2_2", "46\u202f597")),
    total=("total", "93\u202f224"),
    note="As published.",
)
RESULTS = (
    KeyFigures(figures=(Figure(name="OPM", value="93\u202f224"), Figure(name="p95", value="11.8", unit="ms"))),
    Warn(text="OPM was not steady."),
    ChartFigure(caption="OPM second by second", chart=CURVE, note="Gaps stay gaps."),
    CLIENTS,
    ChartFigure(caption="OPM in bars", chart=BARS),
)
METHOD = (
    Text(text="4 clients against 4 stores <b>."),
    Facts(rows=(("Server", "PostgreSQL 18"),)),
    Listing(text="n_threads=32\nthink_time=0.02"),
    Notes(markdown="All **by hand**, <i>really</i>."),
)


def a_document(kind: DocumentKind = DocumentKind.COMPARISON) -> Document:
    return Document(
        kind=kind,
        title="HDD against SSD",
        subtitle="2 results",
        made_at=datetime(2026, 11, 21, 9, 30, tzinfo=UTC),
        sections=(Section(title="Results", blocks=RESULTS), Section(title="Method", blocks=METHOD, level=2)),
        footer="20261121-0930",
    )
