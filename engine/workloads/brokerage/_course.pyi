from array import array
from collections.abc import Callable, Container, Generator

from engine.workload.actions import Action, Outcome, Pause, Script
from engine.workloads.brokerage.deck import Drawn
from engine.workloads.brokerage.user import BrokerageUser

class Course(Generator[Action, Outcome]):
    def __new__(
        cls,
        *,
        user: BrokerageUser,
        script: Script,
        ahead: list[Drawn],
        draw: Callable[[], object],
        followed: Container[str],
        transaction: Callable[..., object],
        pause: Pause,
        clock: Callable[[], float],
        own_due: array[float],
        market_due: array[float],
    ) -> Course: ...
    def send(self, outcome: Outcome, /) -> Action: ...
    def throw(self, error: BaseException, /) -> Action: ...  # type: ignore[override]
    def close(self) -> None: ...
