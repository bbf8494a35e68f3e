from collections.abc import Callable, Generator
from types import ModuleType

from engine.errors import TargetError
from engine.workload.actions import Action, Call, Outcome, Pause, PauseKind
from engine.workload.schedule import Delay
from engine.workloads.dvdstore.picks import NewCustomer
from engine.workloads.dvdstore.transactions import Step
from engine.workloads.dvdstore.user import DvdStoreUser

class NewCustomers:
    def __new__(cls, people: ModuleType, kind: type[NewCustomer]) -> NewCustomers: ...

class Script(Generator[Action, Outcome]):
    @property
    def since_due(self) -> float: ...
    @property
    def has_failed(self) -> bool: ...
    def __new__(
        cls,
        *,
        user: DvdStoreUser,
        chance: Callable[[], float],
        step: Callable[[Step, float], object],
        transaction: Callable[..., object],
        acknowledged: Callable[[int, int, int], object],
        delayed: Callable[[Delay], object],
        amounts: Callable[[list[tuple[int, int]], dict[int, int]], tuple[int, int]],
        failure: type[TargetError],
        call: type[Call],
        pause: type[Pause],
        delay: type[Delay],
        think: PauseKind,
        order: str,
        login_step: Step,
        new_customer_step: Step,
        browse_step: Step,
        purchase_step: Step,
        username_prefix: str,
        password: str,
        title_words: tuple[str, ...],
        first_names: tuple[str, ...],
        last_names: tuple[str, ...],
        new_customers: NewCustomers,
        customers: int,
        products: int,
        tickets: int,
        popular_every: int,
        popular_factor: int,
        tax_per_10_000: int,
        searches: int,
        batch_size: int,
        line_items: int,
        most_lines: int,
        most_quantity: int,
        categories: int,
        think_seconds: float,
        percent_new: float,
        is_paced: bool,
    ) -> Script: ...
    def send(self, outcome: Outcome, /) -> Action: ...
    def throw(self, error: BaseException, /) -> Action: ...  # type: ignore[override]
    def close(self) -> None: ...
