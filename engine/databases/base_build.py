"""What the builds of a store have in common on every DBMS; its ``build.py`` derives a class from it."""

from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from engine.databases.database import Timeouts
from engine.databases.definition import StoreDefinition
from engine.databases.loading import Loading
from engine.databases.progress import IsCancelled, Progress, ReportProgress
from engine.errors import Cancelled
from engine.secrets import Secret
from engine.target.target import Target

D = TypeVar("D", bound=StoreDefinition)


@dataclass(kw_only=True)
class BaseBuild(Generic[D]):
    """One build of the rows of a scale and a seed in a database that exists and holds no store.

    ``_load_share`` is the share of the whole build that is done when all rows are loaded.
    """

    target: Target
    secret: Secret | None
    timeouts: Timeouts
    definition: D
    scale: str
    seed: int
    made_database: bool
    report_progress: ReportProgress
    cancelled: IsCancelled
    _loading: Loading = field(init=False)
    _load_share: ClassVar[float] = 0.6

    def __post_init__(self) -> None:
        rows = self.definition.rows(self.scale, self.seed)
        self._loading = Loading(self.definition, rows, self.report_progress, self.cancelled, share=self._load_share)

    def _begin(self, doing: str, share: float) -> None:
        """Report a step of the build; raises ``Cancelled``."""
        self.report_progress(Progress(doing=doing, share=share))
        if self.cancelled():
            raise Cancelled
