"""The charts of a document as vector drawings: ``svg`` for pages and screens, ``pdf`` for print.

Drawing is deterministic: the same chart gives the same bytes. This module imports matplotlib, and is imported only when
a document is written.
"""

import io
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.text import Text

from engine.report.charts.bars import bars_height_mm, draw_bars
from engine.report.charts.lines import draw_lines
from engine.report.charts.palette import PAPER, Palette
from engine.report.charts.text import FAMILY, SIZE
from engine.report.document import BarChart, Chart

WIDE_MM = 170.0
NARROW_MM = 92.0
_MM_PER_INCH = 25.4
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_FONT = re.compile(r"font: (?:(?P<weight>\w+) )?(?P<size>[\d.]+px) [^;]*")
_NO_LIGATURES = ("-liga", "-dlig")  # a search in a PDF finds "after", and not "a", "ft", "er"
# matplotlib's settings are the whole program's: two threads that draw would take each other's.
_SETTINGS = threading.Lock()


def svg(chart: Chart, *, palette: Palette = PAPER, width_mm: float = WIDE_MM, ids: str = "chart") -> str:
    """The chart as an ``svg`` element with its text as text, in the reader's sans-serif font.

    ``ids`` is the prefix of all its ids, so that one page can contain several.
    """
    drawn = io.StringIO()
    # The reader's font is not known: DejaVu's letters are as wide as any, so that whatever comes has room.
    with _settings({"svg.fonttype": "none", "svg.hashsalt": "spindle"}):
        figure = _figure(chart, palette, width_mm)
        figure.savefig(drawn, format="svg", metadata={"Date": None}, transparent=True)
    return _embeddable(drawn.getvalue(), ids)


def pdf(chart: Chart, *, palette: Palette = PAPER, width_mm: float = WIDE_MM) -> bytes:
    """The chart as a PDF of one page of its size, with selectable text."""
    drawn = io.BytesIO()
    with _settings({"pdf.fonttype": 42}):
        figure = _figure(chart, palette, width_mm)
        metadata = {"CreationDate": None, "Creator": None, "Producer": None}
        figure.savefig(drawn, format="pdf", metadata=metadata, transparent=True)
    return drawn.getvalue()


@contextmanager
def _settings(changed: dict[str, Any]) -> Iterator[None]:
    usual: dict[Any, Any] = {
        "font.family": [FAMILY],
        "font.size": SIZE,
        "text.parse_math": False,
        "hatch.linewidth": 0.6,
    }
    with _SETTINGS, mpl.rc_context(usual | changed):
        yield


def _figure(chart: Chart, palette: Palette, width_mm: float) -> Figure:
    height_mm = max(chart.height_mm, bars_height_mm(chart)) if isinstance(chart, BarChart) else chart.height_mm
    size = width_mm / _MM_PER_INCH, height_mm / _MM_PER_INCH
    figure = Figure(figsize=size, layout="constrained", facecolor=palette.surface)
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.03)  # type: ignore[union-attr,call-arg]
    axes = figure.add_subplot()
    axes.set_facecolor("none")
    if isinstance(chart, BarChart):
        draw_bars(figure, axes, chart, palette)
    else:
        draw_lines(figure, axes, chart, palette)
    for words in figure.findobj(Text):
        words.set_fontfeatures(_NO_LIGATURES)
    return figure


def _embeddable(drawn: str, ids: str) -> str:
    """The drawing as one element without side effects on the page: no global style rules, no shared ids."""
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    root = ElementTree.fromstring(drawn)  # noqa: S314 - what matplotlib wrote a moment ago
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    for element in root.iter():
        for name, value in element.attrib.items():
            element.set(name, _attribute(name, value, ids))
    return ElementTree.tostring(root, encoding="unicode")


def _attribute(name: str, value: str, ids: str) -> str:
    if name == "id":
        return f"{ids}-{value}"
    if name == "style":
        value = _FONT.sub(_spelled_out, value)
    if name.endswith("href") and value.startswith("#"):
        return f"#{ids}-{value[1:]}"
    return value.replace("url(#", f"url(#{ids}-")


def _spelled_out(font: re.Match[str]) -> str:
    """A font as separate properties, which more SVG viewers support than the shorthand; the family is the reader's."""
    weight = f"; font-weight: {font['weight']}" if font["weight"] else ""
    return f"font-size: {font['size']}; font-family: sans-serif{weight}"
