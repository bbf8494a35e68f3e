"""The load profile of a plan: its stages one after the other, on the run's seconds, and each client's share of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.errors import BadInput
from engine.figure_text import counted
from engine.plan.load.stage import Stage
from engine.plan.load.staircase import Staircase


@dataclass(frozen=True, kw_only=True)
class StageSpan:
    """A stage, numbered from 1, in seconds of the run: its figures are those of ``counts_from <= second < ends``."""

    number: int
    stage: Stage
    begins: int
    ends: int

    @property
    def counts_from(self) -> int:
        return self.begins + self.stage.settling_seconds

    @property
    def name(self) -> str:
        """``stage 2: 20 users``."""
        return f"stage {self.number}: {self.stage.load_text}"


@dataclass(frozen=True, kw_only=True)
class LoadProfile:
    """Stages of measuring, at least one, and the ``staircase`` that they are of, if any; then it may end before them.

    All have users or all have rates: the users wait for answers, or work is due whether or not answers come. Raises
    ``BadInput`` for a mixture.
    """

    stages: tuple[Stage, ...]
    staircase: Staircase | None = None

    def __post_init__(self) -> None:
        if len({stage.rate is None for stage in self.stages}) > 1:
            raise BadInput("some stages have users and others a rate; give all of them users, or all of them a rate.")

    @property
    def seconds(self) -> int:
        return sum(stage.seconds for stage in self.stages)

    @property
    def is_open_loop(self) -> bool:
        return self.stages[0].rate is not None

    @property
    def highest(self) -> float:
        """The most users, or the highest rate."""
        return max(stage.load for stage in self.stages)

    def spans(self, measuring_from: int) -> Iterator[StageSpan]:
        """The stages of a run whose measuring begins at a second."""
        begins = measuring_from
        for number, stage in enumerate(self.stages, start=1):
            yield StageSpan(number=number, stage=stage, begins=begins, ends=begins + stage.seconds)
            begins += stage.seconds

    def in_words(self) -> str:
        """``5 stages of 10 to 50 users``, ``a stage of 20 users``."""
        lowest = min(self.stages, key=lambda stage: stage.load)
        highest = max(self.stages, key=lambda stage: stage.load)
        between = highest.load_text if lowest.load == highest.load else f"{lowest.load:g} to {highest.load_text}"
        return f"{counted(len(self.stages), 'stage')} of {between}"


def share_of(users: int, client: int, clients: int) -> int:
    """How many of all active users are a client's, numbered from 0: they differ by one at most, and add up to all."""
    return users * (client + 1) // clients - users * client // clients
