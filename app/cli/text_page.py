"""A page of text, laid out before it is printed: sentences, and tables without rules.

Called by the modules that print a result as text; the commands use the tables alone.
"""

import io
from collections.abc import Collection, Iterable
from typing import Literal

from rich.console import Console
from rich.table import Table

_WIDE = 118


class TextPage:
    """``width`` is in columns; with ``None`` sentences are not wrapped."""

    def __init__(self, width: int | None) -> None:
        self.width = width or _WIDE
        self._breaks = width is not None
        self._laid_out = io.StringIO()
        self._console = Console(
            file=self._laid_out, width=self.width, highlight=False, markup=False, emoji=False, color_system=None
        )

    def line(self, text: str = "") -> None:
        """A line of its own, whatever its length."""
        self._console.print(text, soft_wrap=True)

    def sentence(self, text: str) -> None:
        """A text wrapped to the page's width."""
        self._console.print(text, soft_wrap=not self._breaks)

    def table(self, table: Table) -> None:
        """A table within the page's width."""
        self._console.print(table)

    def text(self) -> str:
        """The whole page, without trailing spaces and without a trailing newline."""
        return "\n".join(line.rstrip() for line in self._laid_out.getvalue().rstrip().split("\n"))


def plain_table(
    titles: Iterable[str], *, numbers: Collection[str] = (), folding: Collection[str] = (), gap: int = 2
) -> Table:
    """A table without rules, its columns ``gap`` apart: ``numbers`` are right-aligned, ``folding`` may be wrapped."""
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
    for title in titles:
        justify: Literal["left", "right"] = "right" if title in numbers else "left"
        table.add_column(title, justify=justify, no_wrap=title not in folding, overflow="fold")
    return table
