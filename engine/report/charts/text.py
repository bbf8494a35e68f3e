"""The text of charts: font family, sizes, and the width of a text. Called by the drawing of charts."""

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

FAMILY = "DejaVu Sans"
SIZE = 8.0
SMALL = 7.5
POINTS_PER_INCH = 72.0


def text_width_pt(text: str) -> float:
    """The width of a text in the small size, in points."""
    width, _, _ = TextToPath().get_text_width_height_descent(
        text, FontProperties(family=FAMILY, size=SMALL), ismath=False
    )
    return float(width)


def shortened(text: str, most_pt: float) -> str:
    """As much of a text as fits, with … for the rest."""
    if text_width_pt(text) <= most_pt:
        return text
    while text and text_width_pt(f"{text}…") > most_pt:
        text = text[:-1].rstrip()
    return f"{text}…"
