"""The colours of our own painting, in light and dark; everything else comes from the palette.

One ``Look`` is created by ``app.window.theme`` and passed to every widget that paints.
"""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from engine.chart_hues import DARK_HUES, LIGHT_HUES


@dataclass(frozen=True, kw_only=True)
class Colours:
    """Named colours as ``#rrggbb``; ``clients`` is a colour-blind safe set of up to eight.

    Backgrounds: ``window`` behind everything, ``surface`` of charts and tables (every other row ``stripe``), ``field``
    of input fields, ``raised`` of buttons and headers, ``hover``, ``pressed`` and ``chosen`` of controls in that state,
    ``selection`` of selected rows, with ``on_selection`` for text on it. ``outline`` frames controls, ``faint``
    separates what needs no frame. ``heat`` is the maximum of a heat map, ``times`` draws p50, p95 and p99 on it.
    """

    window: str
    surface: str
    stripe: str
    field: str
    raised: str
    hover: str
    pressed: str
    chosen: str
    selection: str
    selection_hover: str
    on_selection: str
    text: str
    muted: str
    disabled: str
    faint: str
    outline: str
    accent: str
    good: str
    warning: str
    bad: str
    band_ramp: str
    band_warmup: str
    band_measuring: str
    band_stage: str
    mark: str
    total: str
    many: str
    heat: str
    times: tuple[str, str, str]
    clients: tuple[str, ...]


LIGHT = Colours(
    window="#f3f4f6",
    surface="#ffffff",
    stripe="#f6f7f9",
    field="#ffffff",
    raised="#eceef1",
    hover="#e0e4ea",
    pressed="#d3d8df",
    chosen="#d7e6f5",
    selection="#0b63b0",
    selection_hover="#0a579b",
    on_selection="#ffffff",
    text="#15181c",
    muted="#4d555f",
    disabled="#767d87",
    faint="#d9dce1",
    outline="#7a828d",
    accent="#0b63b0",
    good="#00724f",
    warning="#8f5300",
    bad="#b3261e",
    band_ramp="#eef0f3",
    band_warmup="#f6f0e2",
    band_measuring="#ffffff",
    band_stage="#eef4fa",
    mark="#a8480a",
    total="#15181c",
    many="#5f90bb",
    heat="#a9cbe8",
    times=("#7a45c6", "#5a1fa3", "#2e0a66"),
    clients=LIGHT_HUES,
)
DARK = Colours(
    window="#111317",
    surface="#191c21",
    stripe="#1b1f24",
    field="#191c21",
    raised="#22262c",
    hover="#2c323a",
    pressed="#363d47",
    chosen="#1d3a57",
    selection="#2a6cae",
    selection_hover="#26629e",
    on_selection="#ffffff",
    text="#e4e6ea",
    muted="#a6adb7",
    disabled="#7b838d",
    faint="#2f353d",
    outline="#747d89",
    accent="#6cb2f2",
    good="#4cc79b",
    warning="#f0b35a",
    bad="#ff8a80",
    band_ramp="#1f2329",
    band_warmup="#25221a",
    band_measuring="#191c21",
    band_stage="#1b2530",
    mark="#ffab70",
    total="#f4f5f6",
    many="#55809f",
    heat="#1d4a70",
    times=("#9a83ee", "#bba8ff", "#e9e0ff"),
    clients=DARK_HUES,
)


class Look(QObject):
    """The present colours; ``changed`` is emitted after they changed from light to dark or back."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None, *, dark: bool = False) -> None:
        super().__init__(parent)
        self._is_dark = dark

    @property
    def is_dark(self) -> bool:
        return self._is_dark

    @property
    def colours(self) -> Colours:
        return DARK if self._is_dark else LIGHT

    def set_dark(self, dark: bool) -> None:
        if dark != self._is_dark:
            self._is_dark = dark
            self.changed.emit()


@dataclass(frozen=True)
class Hue:
    """One of the clients' hues in each look, by index from 0; they repeat after the last."""

    place: int

    def __call__(self, colours: Colours) -> str:
        return colours.clients[self.place % len(colours.clients)]


def client_colour(colours: Colours, number: int, clients: int) -> str:
    """The colour of client ``number`` (from 1) among ``clients``: more than eight hues can't be distinguished."""
    return colours.clients[number - 1] if clients <= len(colours.clients) else colours.many
