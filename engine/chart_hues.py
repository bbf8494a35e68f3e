"""The hues of clients' curves: the same in the window, which paints them itself, and in documents.

M. Okabe and K. Ito's colour-blind safe set; yellow and black are toned so that both grounds carry them.
"""

LIGHT_HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#9a8c00", "#6b7280")
"""On a light ground, by the client's place from 0; past the last they begin again."""

DARK_HUES = ("#56b4e9", "#e8804a", "#2bbd91", "#dd94bd", "#e6a93c", "#3f8fd0", "#d8cc4a", "#9aa3ae")
"""The same on a dark ground."""
