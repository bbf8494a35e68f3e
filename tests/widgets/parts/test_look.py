from collections.abc import Sequence
from itertools import combinations
from math import dist
from operator import mul

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from widgets.parts.look import DARK, LIGHT, Colours, Look, client_colour

_READABLE = 4.5  # WCAG 2.1, contrast of text
_VISIBLE = 3.0  # WCAG 2.1, contrast of what is not text
_TOLD_APART = 7.0  # CIE 1976 colour difference; 2.3 is just noticed
# G. Machado, M. Oliveira, L. Fernandes: A physiologically-based model for simulation of color vision deficiency, 2009.
_DEFICIENCIES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE = (0.9505, 1.0, 1.089)


def _linear(colour: str) -> list[float]:
    """Red, green and blue as amounts of light."""
    parts = QColor(colour).getRgbF()[:3]  # type: ignore[index]
    return [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _lab(linear: Sequence[float]) -> tuple[float, float, float]:
    light = [max(0.0, part) for part in linear]
    xyz = [sum(map(mul, row, light)) / white for row, white in zip(_TO_XYZ, _WHITE, strict=True)]
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_colours_contrast_with_backgrounds(colours: Colours) -> None:
    for ground in (
        colours.window,
        colours.surface,
        colours.field,
        colours.band_ramp,
        colours.band_warmup,
        colours.stripe,
        colours.raised,
        colours.hover,
    ):
        for text in (colours.text, colours.muted, colours.accent, colours.good, colours.warning, colours.bad):
            assert contrast(text, ground) >= _READABLE, (text, ground)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_curves_contrast_with_the_chart(colours: Colours) -> None:
    for curve in (*colours.clients, colours.many, colours.total, colours.mark):
        assert contrast(curve, colours.surface) >= _VISIBLE, curve
    assert len(set(colours.clients)) == 8


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("deficiency", _DEFICIENCIES)
def test_client_colours_differ_with_every_colour_deficiency(colours: Colours, deficiency: str) -> None:
    seen = [_lab([sum(map(mul, row, _linear(hue))) for row in _DEFICIENCIES[deficiency]]) for hue in colours.clients]
    assert min(dist(one, other) for one, other in combinations(seen, 2)) >= _TOLD_APART


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_frames_and_selections_contrast(colours: Colours) -> None:
    for ground in (colours.window, colours.surface, colours.field, colours.raised, colours.hover):
        assert contrast(colours.outline, ground) >= _VISIBLE, ground
    for ground in (colours.window, colours.surface, colours.stripe):
        assert contrast(colours.selection, ground) >= _VISIBLE, ground
        assert contrast(colours.disabled, ground) >= _VISIBLE, ground
    for selected in (colours.selection, colours.selection_hover):
        assert contrast(colours.on_selection, selected) >= _READABLE
    assert contrast(colours.text, colours.chosen) >= _READABLE


def test_clients_beyond_eight_share_one_hue() -> None:
    assert [client_colour(LIGHT, number, 8) for number in range(1, 9)] == list(LIGHT.clients)
    assert {client_colour(LIGHT, number, 9) for number in range(1, 10)} == {LIGHT.many}


def test_change_to_dark_emits_once(qtbot: QtBot) -> None:
    look = Look()
    with qtbot.waitSignal(look.changed):
        look.set_dark(True)
    assert look.colours is DARK
    with qtbot.assertNotEmitted(look.changed):
        look.set_dark(True)
