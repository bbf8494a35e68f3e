import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from widgets.parts.look import DARK, LIGHT, Colours, Look, client_colour

_READABLE = 4.5  # WCAG 2.1, contrast of text
_VISIBLE = 2.0


def _luminance(colour: str) -> float:
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in QColor(colour).getRgbF()]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_colour_can_be_read_on_every_ground(colours: Colours) -> None:
    for ground in (
        colours.window,
        colours.surface,
        colours.field,
        colours.band_ramp,
        colours.band_warmup,
        colours.raised,
    ):
        for text in (colours.text, colours.muted, colours.accent, colours.good, colours.warning, colours.bad):
            assert contrast(text, ground) >= _READABLE, (text, ground)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_curve_can_be_seen_on_the_chart(colours: Colours) -> None:
    for curve in (*colours.clients, colours.many, colours.total, colours.mark):
        assert contrast(curve, colours.surface) >= _VISIBLE, curve
    assert len(set(colours.clients)) == 8


def test_beyond_eight_clients_one_hue_is_left() -> None:
    assert [client_colour(LIGHT, number, 8) for number in range(1, 9)] == list(LIGHT.clients)
    assert {client_colour(LIGHT, number, 9) for number in range(1, 10)} == {LIGHT.many}


def test_a_turn_to_dark_is_told_once(qtbot: QtBot) -> None:
    look = Look()
    with qtbot.waitSignal(look.changed):
        look.set_dark(True)
    assert look.colours is DARK
    with qtbot.assertNotEmitted(look.changed):
        look.set_dark(True)
