"""Reads runs for the comparison page, with progress, and offers published results beside them."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from app.background import Job
from app.library import jobs as library_jobs
from app.newest_job import NewestJob
from app.services import Services
from engine.analysis.comparing.loads import load_called, loads_in_common
from engine.analysis.headline import check_same_workload, headline_of
from engine.analysis.host.power import PowerFigures
from engine.analysis.run_data import RunData
from engine.record.record import RunRecord
from widgets.library.compare_page import ComparePage


class _Opened(NamedTuple):
    """The compared runs, those of their sets, and the power draw of each; the loads that all runs have by what they are
    called, and which of them is compared."""

    runs: list[tuple[RunRecord, RunData]]
    sets: dict[str, list[RunRecord]]
    power: list[PowerFigures]
    loads: list[str]
    load: str


class Comparing(QObject):
    """``left``: the page is to be left, because the user goes back or the runs can't be read."""

    left = Signal()

    def __init__(self, page: ComparePage, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._page = page
        self._reading = NewestJob(services.background)
        self._run_ids: Sequence[str] = ()
        page.back_requested.connect(self.left)
        page.cancel_requested.connect(self.left)
        page.load_chosen.connect(self._show_load)

    def begin(self, run_ids: Sequence[str], load: str = "") -> None:
        """Read these runs and show them, the first as the baseline; of mixed runs the load that is called so, or the
        first one that they have in common."""
        self._run_ids = run_ids
        self._page.loading.begin()
        self._page.show_loading("", None)

        def work(job: Job[_Opened]) -> _Opened:
            library = self._services.workbench.library()
            records = [library.run(run_id) for run_id in run_ids]
            loads = loads_in_common(records)
            shown = load if load in loads else next(iter(loads), "")
            chosen = [load_called(record, shown) for record in records]
            check_same_workload(headline_of(record.plan.workload).workload for record in chosen)
            opened = library_jobs.open_runs(
                library,
                [record.run_id for record in chosen],
                on_progress=job.report_progress,
                cancelled=job.cancelled,
            )
            names = {record.run_set for record in records if record.run_set}
            sets = {name: [load_called(each, shown) for each in library.sets.records(name)] for name in names}
            power = [library_jobs.power_of(library, record, run) for record, run in opened]
            return _Opened(opened, sets, power, loads, shown)

        self._reading.start(
            work,
            done=self._show,
            failed=self._on_failed,
            progressed=self._page.show_loading,
        )

    def leave(self) -> None:
        """Cancel reading, if it is in progress."""
        self._reading.drop()

    def _show(self, opened: _Opened) -> None:
        self._page.show_runs(opened.runs, opened.sets, opened.power)
        self._page.choices.offer_loads(opened.loads, opened.load)

    def _show_load(self, load: str) -> None:
        self.begin(self._run_ids, load)

    def _on_failed(self, error: BaseException) -> None:
        self.left.emit()
        self._services.messages.show_error(error)
