"""The headline metric, such as OPM, of every client and of all: the large chart of the live page and of a stored run's
page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.analysis.progress import progress_of
from engine.analysis.recovery.figures import Recovery
from engine.analysis.run_data import RunData
from engine.analysis.series.headline_curves import HeadlineCurves, Reading
from engine.figure_text import whole
from widgets.live.headline_header import HeadlineHeader, reading_text
from widgets.live.recovery_overlay import RecoveryOverlay
from widgets.parts.chart.curves import CurveStyle
from widgets.parts.chart.picture import Caption
from widgets.parts.chart.run import MIDDLE_OF_SECOND, chart_marks, clock_origin, headline_text, run_bands, run_caption
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Colours, Look, client_colour

TOTAL = 0


@dataclass(frozen=True)
class _ClientColour:
    """The colour of a client in each look."""

    number: int
    clients: int

    def __call__(self, colours: Colours) -> str:
        return client_colour(colours, self.number, self.clients)


class HeadlineChart(QWidget):
    """The curves of one ``RunData`` in one reading. Clients are keyed by their number, the total by ``TOTAL``.

    ``chart`` is the ``TimeChart``, for everything that is common to all charts: curves, marks, range, levels and spans.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run_data: RunData | None = None
        self._curves: HeadlineCurves | None = None
        self._recoveries: tuple[Sequence[Recovery], Recovery | None, float] = ((), None, 0.0)
        self.header = HeadlineHeader()
        self.chart = TimeChart(look, name="Headline metric", amount="", value_text=whole)
        self._overlay = RecoveryOverlay(self.chart)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.header)
        layout.addWidget(self.chart, 1)
        self.header.reading_changed.connect(self._read)
        self.header.visibility_requested.connect(self._show_or_hide)
        self.header.show_all_requested.connect(partial(self.chart.curves.isolate, None))
        self.header.back_to_live_requested.connect(self.chart.back_to_live)
        self.chart.live_changed.connect(self.header.set_live)
        self.chart.curves.visibility_changed.connect(self.header.set_visible_client)
        self.chart.menu.panel = self
        self.chart.caption = self._caption

    def show_run(self, run_data: RunData) -> None:
        """Show another run, from its start to its end."""
        self._run_data = run_data
        self._curves = HeadlineCurves(run_data, *self.header.reading)
        self.chart.clear()
        self._overlay.forget()
        self._recoveries = ((), None, 0.0)
        headline = run_data.headline
        self.header.set_metric(headline.label)
        self.chart.set_amount(headline.rate_heading, headline.rate, headline_text(headline), short=headline.label)
        self.header.set_clients([(client.number, client.label) for client in run_data.clients])
        self.refresh()

    def refresh(self, changed_from: int | None = 0) -> None:
        """Draw the run again; ``changed_from`` is the lowest second that changed, ``None`` when none did."""
        run, curves = self._run_data, self._curves
        if run is None or curves is None:
            return
        curves.update(changed_from)
        self._set_curves(run, curves)
        self.chart.set_growing(not run.state.is_final, progress_of(run).seconds)
        self.header.set_over(run.state.is_final)
        self.chart.plot.set_bands(run_bands(run))
        self.chart.set_marks(chart_marks(run.sorted_events()), editable=True)
        self.chart.set_origin(*clock_origin(run.phases))
        self.chart.refresh()

    def set_recoveries(
        self, recoveries: Sequence[Recovery], shown: Recovery | None, *, threshold_pct: float = 95.0
    ) -> None:
        """Shade the dips of all faults, and draw the levels by which the ``shown`` one is judged."""
        self._recoveries = (recoveries, shown, threshold_pct)
        self._draw_recoveries()

    def set_visible(self, visible: Mapping[int, bool]) -> None:
        """Show or hide clients' curves, or with ``TOTAL`` the sum's; the chart is drawn once."""
        for client, is_visible in visible.items():
            self.chart.curves.set_visible(client, is_visible)
        self.chart.refresh()

    def _caption(self) -> Caption:
        run, reading = self._run_data, reading_text(*self.header.reading)
        return Caption("", ()) if run is None else run_caption(run, f"{run.headline.label}: {reading}")

    def _set_curves(self, run: RunData, curves: HeadlineCurves) -> None:
        clients = len(run.clients)
        for client in run.clients:
            style = CurveStyle(name=client.label, colour=_ClientColour(client.number, clients))
            self.chart.curves.set(client.number, MIDDLE_OF_SECOND, curves.client(client.number), style)
        total = CurveStyle(name="total", colour=attrgetter("total"), rank=1, width=2.0)
        self.chart.curves.set(TOTAL, MIDDLE_OF_SECOND, curves.total(), total)

    def _read(self, reading: Reading, window_seconds: int) -> None:
        if self._curves is not None:
            self._curves.set_reading(reading, window_seconds)
            self.refresh(None)
            self._draw_recoveries()

    def _draw_recoveries(self) -> None:
        if self._run_data is not None:
            recoveries, shown, threshold_pct = self._recoveries
            reading, _ = self.header.reading
            self._overlay.show(recoveries, shown, reading, threshold_pct)

    def _show_or_hide(self, client: int, visible: bool) -> None:
        self.set_visible({client: visible})
