"""What a section of the benchmarks is: one file each, listed in ``tests.benchmarks.__main__``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.benchmarks.figures import Figure

DAY_TICKS = 86_400
DEFAULT_TICKS = DAY_TICKS // 10


@dataclass(frozen=True)
class Choices:
    """What was chosen on the command line.

    ``rounds`` is how often each thing is measured, ``users`` which numbers of users the speed is measured at (empty:
    all), ``ticks`` how long the accelerated run is. ``quick`` leaves out what takes minutes, and is for trying the
    benchmarks out, not for figures to quote.
    """

    rounds: int
    seconds: int
    users: tuple[int, ...] = ()
    ticks: int = DEFAULT_TICKS
    quick: bool = False


@dataclass(frozen=True)
class Section:
    """Measures something, prints it under ``title`` and gives its figures; ``name`` is what ``--only`` takes."""

    name: str
    title: str
    run: Callable[[Choices], Sequence[Figure]]
