import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from pypdf import PdfReader

from engine.report.charts import drawing
from engine.report.charts.palette import DARK, NAMED
from engine.report.document import Chart, Line
from tests.engine.report.charted import a_bar_chart, a_line_chart

CHARTS = (a_line_chart(), a_bar_chart())
SVG = "{http://www.w3.org/2000/svg}"


def texts(drawn: str) -> list[str]:
    root = ElementTree.fromstring(drawn)
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("chart", CHARTS)
def test_drawing_is_deterministic(chart: Chart) -> None:
    assert drawing.svg(chart) == drawing.svg(chart)
    assert drawing.pdf(chart) == drawing.pdf(chart)


def test_svg_text_is_selectable() -> None:
    assert {"OPM", "Time, min:s", "Kill primary", "All clients", "0:30", "95 % of the baseline"} <= set(
        texts(drawing.svg(CHARTS[0]))
    )
    page = PdfReader(io.BytesIO(drawing.pdf(CHARTS[0]))).pages[0]
    assert "After the switch" in page.extract_text()  # no ligature swallows the "ft"
    assert not page.images


def test_several_drawings_share_one_page() -> None:
    """No two elements have the same id, every reference is to its own drawing, no rule is for the whole page."""
    drawn = [drawing.svg(chart, ids=f"chart-{number}") for number, chart in enumerate(CHARTS)]
    ids = [re.findall(r'\bid="([^"]+)"', each) for each in drawn]
    every = [each for found in ids for each in found]
    assert len(set(every)) == len(every) > 0
    for number, each in enumerate(drawn):
        referred = re.findall(r'(?:href="#|url\(#)([^")]+)', each)
        assert referred
        assert set(referred) <= set(ids[number])
        assert "<style" not in each
        assert "<metadata" not in each
        assert not each.startswith("<?xml")


def test_drawing_has_no_metadata() -> None:
    drawn = drawing.pdf(CHARTS[0])
    assert PdfReader(io.BytesIO(drawn)).metadata in (None, {})
    assert b"CreationDate" not in drawn


def test_drawing_uses_the_palettes_colours() -> None:
    assert DARK.text in drawing.svg(CHARTS[0], palette=DARK)
    named = drawing.svg(CHARTS[0], palette=NAMED)
    assert set(re.findall("#[0-9a-f]{6}", named)) <= {
        NAMED.text, NAMED.muted, NAMED.faint, NAMED.band, NAMED.mark, *NAMED.series,
    }  # fmt: skip


def test_dollar_signs_in_labels_are_text() -> None:
    line = Line(label="$x^2$ & <b>", x=np.arange(3.0), y=np.arange(3.0))
    assert "$x^2$ & <b>" in texts(drawing.svg(a_line_chart(lines=(line, *a_line_chart().lines))))


def test_a_bar_chart_grows_with_its_bars() -> None:
    many = a_bar_chart(groups=tuple("abcdefghijklmnop"), bars=(), height_mm=20)
    height = float(PdfReader(io.BytesIO(drawing.pdf(many))).pages[0].mediabox.height)
    assert height > 100


def test_the_width_is_as_asked() -> None:
    width = PdfReader(io.BytesIO(drawing.pdf(CHARTS[0], width_mm=100))).pages[0].mediabox.width
    assert float(width) == pytest.approx(100 / 25.4 * 72, abs=0.01)
