"""A mixed run on the live page and on a stored run's page: all headlines at once, and one load in detail."""

from PySide6.QtWidgets import QButtonGroup
from pytestqt.qtbot import QtBot

from engine.analysis.loads_data import LoadsData
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Count, Sample
from tests.doubles.loads import loads_of
from tests.doubles.samples import dvd_sample
from widgets.live.headline_chart import HeadlineChart
from widgets.live.live_page import LivePage
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS
from widgets.parts.look import Look

PLAN = RunPlan.from_dict(
    {"targets": ["postgresql://me@db1/ds2"], "clients": 2, "load": [{"workload": "wholesale", "threads": 4}]}
)


def _loads() -> LoadsData:
    loads = LoadsData(PLAN, name="both")
    loads.set_state(RunState.MEASURING, Phases(warming_up_from=0, measuring_from=1, measuring_to=60))
    for second in range(20):
        for client in (1, 2):
            loads.add(dvd_sample(client=client, second=second, orders=10, order_us=100, working=1))
        loads.add(Sample(client=3, second=second, working=4, transactions={"new_order": Count(7, 70, 10)}))
    loads.put_event(RunEvent(at_seconds=5.0, kind=EventKind.MARK, label="pulled", number=1))
    loads.put_event(RunEvent(at_seconds=6.0, kind=EventKind.CONNECTION_LOST, label="lost", client=3, number=2))
    return loads


def test_each_load_has_its_chart_and_the_selected_one_its_details(qtbot: QtBot) -> None:
    page = LivePage(Look(), DEFAULT_MARK_KINDS)
    qtbot.addWidget(page)
    page.resize(1_400, 900)
    page.show()
    loads = _loads()
    page.show_run(loads)
    page.refresh()
    (other,) = page.view.loads.others
    assert [page.load_bar.tabText(place) for place in range(page.load_bar.count())] == ["DVD Store 2", "Wholesale"]
    assert [page.view.loads.widget(place) for place in range(2)] == [page.view.chart, other]
    assert page.run is loads.loads[0]
    assert page.view.table.view.model().rowCount() == 2

    for chart in (page.view.chart, other):
        readings = chart.header.findChild(QButtonGroup)
        assert readings is not None
        assert [button.text() for button in readings.buttons() if button.font().bold()] == ["Window 10 s"]

    def labelled() -> list[HeadlineChart]:
        """The charts above which the labels of marks and phases stand."""
        return [chart for chart in (page.view.chart, other) if chart.chart.view.getAxis("top").fixedHeight > 0]

    assert labelled() == [page.view.chart]
    page.load_bar.setCurrentIndex(1)
    assert labelled() == [other]
    assert page.run is loads.loads[1]
    assert [page.view.loads.widget(place) for place in range(2)] == [other, page.view.chart]
    assert page.view.table.view.model().rowCount() == 1
    assert [event.number for event in loads.loads[1].sorted_events()] == [1, 2]
    assert [event.number for event in loads.loads[0].sorted_events()] == [1]

    page.resize(1_100, 560)
    page.load_bar.setCurrentIndex(0)
    qtbot.waitUntil(lambda: not other.isVisible() and labelled() == [page.view.chart])
    assert page.view.chart.isVisible()
    assert page.view.chart.height() >= page.view.chart.minimumSizeHint().height()
    page.resize(1_400, 900)
    qtbot.waitUntil(other.isVisible)

    page.show_run(loads_of(loads.loads[0]))
    assert page.load_bar.isHidden()
    assert not page.view.loads.others
