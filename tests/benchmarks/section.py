"""What a section of the benchmarks is: one file each, listed in ``tests.benchmarks.__main__``."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Choices:
    """What was chosen on the command line; ``rounds`` is how often each thing is measured."""

    rounds: int
    seconds: int


@dataclass(frozen=True)
class Section:
    """Measures something and prints it under ``title``; ``name`` is what ``--only`` takes."""

    name: str
    title: str
    run: Callable[[Choices], None]


def print_against_goal(what: str, measured: float, goal: float, unit: str) -> None:
    """One line: a figure beside its goal, and whether it is met."""
    verdict = "met" if measured <= goal else "MISSED"
    print(f"{what:<50} {measured:>9.2f} {unit:<3} goal {goal:g} {unit}: {verdict}")
