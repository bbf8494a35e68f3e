"""Keeps a displayed run up to date with the library, while its own process, another process or another page changes
it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services import Services
from engine.analysis.run_data import RunData
from engine.errors import RunNotFound
from engine.record.record import RunRecord
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import ProbeSample, Sample

if TYPE_CHECKING:
    from engine.library.library import Library


@dataclass(frozen=True)
class _Found:
    """What the library holds of a run; ``None`` in place of new samples when it is not known which are new."""

    record: RunRecord
    events: list[RunEvent]
    samples: list[Sample] | None
    probes: list[ProbeSample]


class RunFollower(QObject):
    """Follows one run at a time.

    ``updated`` carries the run's record after its data were updated in place; ``reload_required`` asks to read the
    whole run again; ``deleted``: the run was deleted.
    """

    updated = Signal(object)
    reload_required = Signal()
    deleted = Signal()

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._record: RunRecord | None = None
        self._data: RunData | None = None
        self._is_reading = self._is_wanted = False

    @property
    def data(self) -> RunData | None:
        """The run that is followed."""
        return self._data

    def show(self, record: RunRecord, data: RunData) -> None:
        """Follow this run from now on."""
        self._record, self._data = record, data

    def forget(self) -> None:
        self._record = self._data = None

    def follow(self) -> None:
        """Query the library for news of the run, if one is displayed."""
        data = self._data
        self._is_wanted = self._is_reading
        if data is None or self._is_reading:
            return
        self._is_reading = True
        run_id, known = data.run_id, {client.number: data.series.last_known(client.number) for client in data.clients}

        def done(found: _Found) -> None:
            self._is_reading = False
            if self._data is data:
                self._take(data, found)
            self._follow_again()

        def failed(error: BaseException) -> None:
            self._is_reading = False
            if self._data is data and isinstance(error, RunNotFound):
                self.forget()
                self.deleted.emit()
            elif self._data is data:
                self._services.messages.show_error(error)
            self._follow_again()

        self._services.background.start(
            lambda _job: _find(self._services.workbench.library(), run_id, known), done=done, failed=failed
        )

    def _follow_again(self) -> None:
        """Where that was asked for meanwhile: what was read may be older."""
        if self._is_wanted:
            self.follow()

    def _take(self, data: RunData, found: _Found) -> None:
        shown, record = self._record, found.record
        has_ended = record.state.is_final and (record.state, record.phases) != (data.state, data.phases)
        if shown is None or has_ended or found.samples is None or record.totals != shown.totals:
            self.reload_required.emit()
            return
        if record == shown and found.events == data.sorted_events() and not found.samples:
            return
        self._record = record
        data.name = record.name or data.plan.name
        data.events = {event.number: event for event in found.events}
        data.set_state(record.state, record.phases)
        for sample in found.samples:
            data.add(sample)
        for probe in found.probes:
            data.add_probe(probe)
        self.updated.emit(record)


def _find(library: "Library", run_id: str, known: dict[int, int]) -> _Found:
    """On a background thread. Raises ``RunNotFound`` when the run is no longer in the library, and ``UserError``."""
    record, events = library.run(run_id), library.events(run_id)
    if record.state.is_final:
        return _Found(record, events, [], [])
    since = max(0, min(known.values(), default=0))
    return _Found(record, events, library.samples_after(run_id, known), library.probes(run_id, since=since))
