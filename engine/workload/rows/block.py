"""Blocks of generated rows, as the builders of ``engine.databases`` load them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np  # a client process loads this module, and no numpy


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a table as columns in the table's order, each with ``rows`` values of its column's kind.

    ``first`` is the number, from 0, of the block's first unit: its first row, or, in tables whose rows per unit vary
    (the lines of orders), the unit that its first row belongs to.
    """

    table: str
    first: int
    rows: int
    columns: "Mapping[str, np.ndarray]"
