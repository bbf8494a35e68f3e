"""The hues of clients' curves, the same in the window and in documents.

M. Okabe and K. Ito's colour-blind safe set, with lightness changed so that readers with any of the three colour
deficiencies can distinguish every pair, and every hue has a contrast of 3 to its background.
"""

LIGHT_HUES = ("#0653a0", "#e0650a", "#12a071", "#cf74ad", "#634a00", "#4d97e6", "#8f1d5c", "#5c636e")
"""On a light ground, by the client's place from 0; past the last they begin again."""

DARK_HUES = ("#56b4e9", "#e8804a", "#2bd09b", "#cf86bf", "#f5cf6b", "#2f7fd0", "#b8b400", "#c3c9d1")
"""The same on a dark ground."""
