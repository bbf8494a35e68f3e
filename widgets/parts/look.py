"""The colours that our own painting uses, in light and in dark; what the palette has is left to the palette.

One ``Look`` is made by ``app.theme`` and handed to every widget that paints or tints.
"""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from engine.chart_hues import DARK_HUES, LIGHT_HUES


@dataclass(frozen=True, kw_only=True)
class Colours:
    """Named colours as ``#rrggbb``; ``clients`` is the colour-blind safe set of up to eight lines."""

    window: str
    surface: str
    field: str
    raised: str
    text: str
    muted: str
    faint: str
    outline: str
    accent: str
    good: str
    warning: str
    bad: str
    band_ramp: str
    band_warmup: str
    band_measuring: str
    mark: str
    total: str
    many: str
    clients: tuple[str, ...]


LIGHT = Colours(
    window="#f3f4f6",
    surface="#ffffff",
    field="#ffffff",
    raised="#e7e9ed",
    text="#15181c",
    muted="#5a626c",
    faint="#d5d9de",
    outline="#6b737d",
    accent="#0b63b0",
    good="#00724f",
    warning="#8f5300",
    bad="#b3261e",
    band_ramp="#eceef1",
    band_warmup="#f3ecdc",
    band_measuring="#ffffff",
    mark="#a8480a",
    total="#15181c",
    many="#8fb3d1",
    clients=LIGHT_HUES,
)
DARK = Colours(
    window="#1d2024",
    surface="#15171a",
    field="#2b3036",
    raised="#2a2e34",
    text="#eceef0",
    muted="#a3abb5",
    faint="#363b42",
    outline="#858d98",
    accent="#6cb2f2",
    good="#4cc79b",
    warning="#f0b35a",
    bad="#ff8a80",
    band_ramp="#1f2226",
    band_warmup="#282419",
    band_measuring="#15171a",
    mark="#ffab70",
    total="#f4f5f6",
    many="#4c7395",
    clients=DARK_HUES,
)


class Look(QObject):
    """The colours of now; ``changed`` is emitted after they turned from light to dark or back."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None, *, dark: bool = False) -> None:
        super().__init__(parent)
        self._is_dark = dark

    @property
    def colours(self) -> Colours:
        return DARK if self._is_dark else LIGHT

    def set_dark(self, dark: bool) -> None:
        if dark != self._is_dark:
            self._is_dark = dark
            self.changed.emit()


@dataclass(frozen=True)
class Hue:
    """One of the hues that clients have in each look, by its place from 0; past the last they begin anew."""

    place: int

    def __call__(self, colours: Colours) -> str:
        return colours.clients[self.place % len(colours.clients)]


def client_colour(colours: Colours, number: int, clients: int) -> str:
    """The colour of client ``number`` (from 1) among ``clients``: beyond eight, hues can't be told apart."""
    return colours.clients[number - 1] if clients <= len(colours.clients) else colours.many
