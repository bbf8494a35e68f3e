"""The colours and dashes of charts in documents: those of the screens, also as CSS custom properties.

Called by ``charts`` and ``html``. The hues are those of the window (``engine.chart_hues``); dashes and hatches
distinguish lines and bars without colour.
"""

from dataclasses import dataclass, fields

from engine.chart_hues import DARK_HUES, LIGHT_HUES

_Dashes = tuple[float, tuple[float, ...] | None]


@dataclass(frozen=True, kw_only=True)
class Palette:
    """Colours as ``#rrggbb``; ``series`` are those of up to eight lines, later ones begin anew.

    ``low`` and ``out`` tint seconds of a dip: under the threshold, and without an order.
    """

    surface: str
    text: str
    muted: str
    faint: str
    band: str
    mark: str
    pale: str
    low: str
    out: str
    series: tuple[str, ...]

    def hue(self, number: int) -> str:
        """The colour of series ``number``, from 0."""
        return self.series[number % len(self.series)]


PAPER = Palette(
    surface="#ffffff",
    text="#15181c",
    muted="#5a626c",
    faint="#d5d9de",
    band="#f1f2f4",
    mark="#a8480a",
    pale="#a9b1bb",
    low="#fbecd2",
    out="#f6d3cf",
    series=LIGHT_HUES,
)
DARK = Palette(
    surface="#15171a",
    text="#eceef0",
    muted="#a3abb5",
    faint="#363b42",
    band="#1f2226",
    mark="#ffab70",
    pale="#6a727c",
    low="#3a2e17",
    out="#4a2320",
    series=DARK_HUES,
)
# Colours that nothing else uses, each to be replaced by the name that a style sheet knows it by.
NAMED = Palette(
    surface="#fe0100",
    text="#fe0200",
    muted="#fe0300",
    faint="#fe0400",
    band="#fe0500",
    mark="#fe0600",
    pale="#fe0700",
    low="#fe0800",
    out="#fe0900",
    series=tuple(f"#fe10{number:02x}" for number in range(8)),
)

_DASHES: tuple[_Dashes, ...] = (
    (0, None),
    (0, (6, 2)),
    (0, (1.5, 1.5)),
    (0, (7, 2, 1.5, 2)),
    (0, (10, 2)),
    (0, (3, 2)),
    (0, (7, 2, 1.5, 2, 1.5, 2)),
    (0, (1.5, 3.5)),
)
_HATCHES = ("", "///", "\\\\\\", "|||", "---", "xxx", "+++", "//")


def dashes(number: int) -> _Dashes:
    """The dashes of series ``number``, from 0, in multiples of the line width."""
    return _DASHES[number % len(_DASHES)]


def hatch(number: int) -> str:
    """The hatch of the bars of series ``number``, from 0."""
    return _HATCHES[number % len(_HATCHES)]


def style_names(palette: Palette) -> dict[str, str]:
    """The CSS custom properties of a palette's colours: ``--chart-text``, ``--chart-series-1``."""
    names = {f"--chart-{each.name}": getattr(palette, each.name) for each in fields(palette) if each.name != "series"}
    return names | {f"--chart-series-{number}": colour for number, colour in enumerate(palette.series, start=1)}


def with_style_names(svg: str) -> str:
    """A drawing in the colours of ``NAMED``, with each replaced by ``var(--chart-…)``."""
    for name, colour in style_names(NAMED).items():
        svg = svg.replace(colour, f"var({name})")
    return svg
