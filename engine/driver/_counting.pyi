from collections.abc import Callable

from engine.driver.counting import Counted
from engine.workloads.dvdstore.user import Step

class Counting:
    ends: float

    def __init__(
        self, steps: tuple[Step, ...], roll: Callable[[], None], clock: Callable[[], float] | None, /
    ) -> None: ...
    def step(self, step: Step, seconds: float, /) -> None: ...
    def order(self, seconds: float, /, *, rolled_back: bool) -> None: ...
    def take(self) -> Counted: ...
