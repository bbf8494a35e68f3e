import numpy as np

from engine.analysis.headline import headline_of
from engine.record.record import Phases, RunState
from engine.report.charts.headline import headline_curves_chart
from engine.report.document import ChartFigure, LineChart
from tests.engine.report.reported import WARM_SECONDS, a_plan, a_reported_run, samples_of


def test_runs_are_aligned_where_measuring_began() -> None:
    early = a_reported_run((10,), phases=Phases(warming_up_from=0, measuring_from=1, measuring_to=9))
    (figure,) = headline_curves_chart(headline_of("dvdstore"), [("a", a_reported_run((10, 20))), ("b", early)])
    assert isinstance(figure, ChartFigure)
    assert isinstance(figure.chart, LineChart)
    first, second = figure.chart.lines
    assert (first.label, first.x[0], second.x[0]) == ("a", 0.5 - WARM_SECONDS, -0.5)
    assert first.y[-1] == 1800


def test_unknown_second_is_a_gap() -> None:
    samples = [sample for sample in samples_of((10,)) if sample.second != 5]
    (figure,) = headline_curves_chart(
        headline_of("dvdstore"), [("a", a_reported_run(samples=samples, plan=a_plan(clients=1)))]
    )
    assert isinstance(figure, ChartFigure)
    assert isinstance(figure.chart, LineChart)
    assert np.flatnonzero(np.isnan(figure.chart.lines[0].y)).tolist() == [5]


def test_a_run_that_never_measured_has_no_curve() -> None:
    never = a_reported_run(phases=Phases(), state=RunState.FAILED)
    assert headline_curves_chart(headline_of("dvdstore"), [("a", never)]) == []
