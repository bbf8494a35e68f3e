"""Reads ``FIGURE < LIMIT``, such as ``p95 <= 20 ms`` or ``opm < -3 %``: under what a check fails, and what has to hold
at a point of a search."""

import math
import re
from dataclasses import dataclass

from engine.errors import BadInput
from engine.parameters.typed_text import write_number

_FORM = re.compile(
    r"\s*(?P<figure>[A-Za-z_][\w.-]*)\s*(?P<sign><=|>=|<|>)\s*(?P<direction>[+\-−])?\s*"
    r"(?P<number>(?:(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,17})(?:\.\d{1,25})?|\.\d{1,25})(?:[Ee][+-]?\d{1,3})?)\s*"
    r"(?P<unit>%|ms|s)?\s*",
    re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The name of a figure in lower case, one of the signs < <= > >=, and a limit, as typed and not yet understood.

    ``is_change``: the limit was typed with + or -, so that it is one of a change; ``limit`` has that sign. ``unit`` is
    ``%``, ``ms``, ``s``, or empty. ``load`` is the number of the load of a mixed run whose figure it is.
    """

    figure: str
    sign: str
    limit: float
    unit: str = ""
    is_change: bool = False
    load: int = 1

    @property
    def text(self) -> str:
        """The comparison in its regular spelling; ``parse_comparison`` reads it back."""
        direction = ("-" if self.limit < 0 else "+") if self.is_change else ""
        of_load = f"load {self.load}: " if self.load > 1 else ""
        return f"{of_load}{self.figure} {self.sign} {direction}{write_number(abs(self.limit))} {self.unit}".rstrip()


def parse_comparison(text: str, what: str, examples: str) -> Comparison:
    """Read a comparison; ``what`` is the field that it was typed in. Raises ``BadInput``."""
    match = _FORM.fullmatch(text)
    number = math.inf if match is None else float(match["number"].replace(",", ""))
    if match is None or not math.isfinite(number):
        raise BadInput(f"{what} is '{text.strip()}'; write a figure, <, <=, > or >=, and a limit, such as {examples}.")
    return Comparison(
        figure=match["figure"].lower(),
        sign=match["sign"],
        limit=-number if number and match["direction"] in ("-", "−") else number,
        unit=match["unit"] or "",
        is_change=match["direction"] is not None,
    )
