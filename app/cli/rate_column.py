"""A column of headline rates in a table whose rows may be of different workloads."""

from collections.abc import Iterable

from engine.analysis.headline import Headline
from engine.figure_text import UNKNOWN

_OF_SEVERAL = "rate"


class RateColumn:
    """The column's ``title``: the metric of all rows; where they have different ones, each cell names its own."""

    def __init__(self, headlines: Iterable[Headline]) -> None:
        labels = list(dict.fromkeys(each.label for each in headlines))
        self._names_metric = len(labels) > 1
        self.title = labels[0] if len(labels) == 1 else _OF_SEVERAL

    def text(self, headline: Headline, rate: float | None) -> str:
        """The cell of a row; – where nothing is known."""
        text = headline.text(rate)
        return f"{text} {headline.label}" if self._names_metric and text != UNKNOWN else text
