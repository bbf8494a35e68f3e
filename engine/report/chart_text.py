"""The lettering of charts: its sizes, and how wide a text will be. Called by the modules that draw charts."""

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

SIZE = 8.0
SMALL = 7.5
POINTS_PER_INCH = 72.0


class ChartText:
    """Measures text in the small size of one font."""

    def __init__(self, family: str) -> None:
        self._font = FontProperties(family=family, size=SMALL)

    def width_pt(self, text: str) -> float:
        """How wide a text is, in points."""
        width, _, _ = TextToPath().get_text_width_height_descent(text, self._font, ismath=False)
        return float(width)

    def shortened(self, text: str, most_pt: float) -> str:
        """As much of a text as fits, with … for what does not."""
        if self.width_pt(text) <= most_pt:
            return text
        while text and self.width_pt(f"{text}…") > most_pt:
            text = text[:-1].rstrip()
        return f"{text}…"
