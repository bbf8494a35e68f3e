"""The Hosts tab during a run: charts on the run's time axis, devices by use or choice, collectors that fail."""

from collections.abc import Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.record.record import RunState
from engine.telemetry.host import CollectorState, HostReading
from engine.telemetry.host_figure import HostFigure
from tests.doubles.hosts import GAP, STARTED_AT, a_status, read_hosts, value
from tests.doubles.live_runs import a_live_run
from tests.doubles.loads import loads_of
from tests.texts import plain
from tests.widgets.accessibility import nameless_controls
from tests.widgets.parts.charts import drawn_points
from widgets.live.hosts_view import HostsView
from widgets.live.live_page import LivePage
from widgets.live.mark_kinds import DEFAULT_MARK_KINDS
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.look import Look

SECONDS = 120
CHARTS = ["CPU", "disk utilisation", "disk operations", "network", "memory used", "power", "sessions by wait"]


@pytest.fixture
def run() -> RunData:
    return a_live_run(2, SECONDS, troubled=False)


@pytest.fixture
def page(qtbot: QtBot) -> Iterator[LivePage]:
    page = LivePage(Look(), DEFAULT_MARK_KINDS)
    qtbot.addWidget(page)
    page.resize(1180, 760)
    with qtbot.waitExposed(page):
        page.show()
    yield page
    page.hide()


@pytest.fixture
def hosts(page: LivePage, run: RunData, qtbot: QtBot) -> HostsView:
    read_hosts(run)
    page.show_run(loads_of(run))
    page.view.pages.setCurrentWidget(page.hosts)
    qtbot.waitUntil(lambda: bool(page.hosts.charts.by_group))
    return page.hosts


def charts(view: HostsView) -> dict[str, TimeChart]:
    return {name: chart for (name, _), chart in view.charts.by_group.items() if not chart.isHidden()}


def legends(view: HostsView, name: str) -> list[str]:
    return sorted(entry.name for entry in charts(view)[name].legend.entries)


def test_a_run_without_collectors_has_no_tab(page: LivePage, run: RunData) -> None:
    page.show_run(loads_of(run))
    assert page.view.pages.count() == 1
    assert not page.view.pages.tabBar().isVisible()
    run.hosts.take(a_status(1, "db1", state=CollectorState.WAITING))
    page.refresh()
    assert page.view.pages.tabText(1) == "Hosts"


def test_the_charts_are_in_order_on_the_runs_time_axis_with_gaps(hosts: HostsView) -> None:
    assert list(charts(hosts)) == CHARTS
    assert {chart.visible_range for chart in charts(hosts).values()} == {hosts.charts.headline.visible_range}
    chart = charts(hosts)["CPU"]
    key = next(each for each in chart.curves.by_key if each.collector == 1)
    seconds, values = drawn_points(chart, key)
    known = {int(second) for second, amount in zip(seconds, values, strict=True) if not np.isnan(amount)}
    assert not known & set(GAP[1:-1])
    assert {GAP.start - 2, GAP.stop} <= known


def test_the_same_second_is_at_the_same_place_in_all_charts(hosts: HostsView, page: LivePage, qtbot: QtBot) -> None:
    def places() -> set[int]:
        """Where the time axis ends, from the left of the view."""
        found = [hosts.charts.headline, *charts(hosts).values()]
        return {chart.mapTo(hosts, chart.rect().topRight()).x() for chart in found}

    bar = hosts.charts._scroll.verticalScrollBar()
    for height, scrolls in ((1_800, False), (700, True), (1_800, False)):
        page.resize(1180, height)
        qtbot.waitUntil(lambda scrolls=scrolls: bar.isVisible() is scrolls)  # type: ignore[misc]
        qtbot.waitUntil(lambda: len(places()) == 1)


def test_all_charts_zoom_together_with_the_large_one(hosts: HostsView, page: LivePage) -> None:
    page.view.chart.chart.show_range(10, 40)
    assert {chart.visible_range for chart in charts(hosts).values()} == {(10, 40)}


def test_a_machine_has_one_colour_and_its_second_direction_is_dashed(hosts: HostsView) -> None:
    curves = charts(hosts)["network"].curves.by_key
    styles = {(key.collector, key.name): curve.style for key, curve in curves.items()}
    received, sent = styles[1, "Network received"], styles[1, "Network sent"]
    assert (received.colour, received.dashed, sent.dashed) == (sent.colour, False, True)
    cpu = {key.collector: curve.style.colour for key, curve in charts(hosts)["CPU"].curves.by_key.items()}
    assert cpu[1] == received.colour != cpu[2]


def test_a_machine_with_several_readers_has_a_curve_of_each_with_its_name(hosts: HostsView, run: RunData) -> None:
    run.hosts.take(a_status(5, "db1", source="Prometheus"))
    for number in (6, 7):
        run.hosts.take(a_status(number, "rack meter", source="SNMP"))
    for number, figure in ((5, HostFigure.CPU), (6, HostFigure.POWER), (7, HostFigure.POWER)):
        reading = HostReading(
            collector=number, utc_seconds=STARTED_AT.timestamp() + run.end, values=(value(figure, 33.0),)
        )
        run.hosts.take(reading)
    hosts.draw()
    assert legends(hosts, "CPU") == ["CPU (db1, Linux over SSH)", "CPU (db1, Prometheus)", "CPU (db2)"]
    meters = [f"Power {name} (rack meter, Linux over SSH)" for name in ("server", "storage")]
    assert legends(hosts, "power") == ["Power (rack meter, SNMP 1)", "Power (rack meter, SNMP 2)", *meters]
    for name in ("CPU", "power"):
        styles = [curve.style.colour for curve in charts(hosts)[name].curves.by_key.values()]
        assert len(set(styles)) == len(styles)


def test_what_sessions_wait_for_has_colours_that_no_machine_has(hosts: HostsView) -> None:
    curves = charts(hosts)["sessions by wait"].curves.by_key
    styles = {(key.collector, key.name): curve.style.colour for key, curve in curves.items()}
    assert len(set(styles.values())) == len(styles) == 6


def test_the_busiest_disk_is_shown_and_another_is_chosen_and_remembered(
    hosts: HostsView, page: LivePage, run: RunData, qtbot: QtBot
) -> None:
    assert legends(hosts, "disk utilisation") == ["Disk utilisation sdb (db1)", "Disk utilisation sdb (db2)"]
    hosts.fill_menu()
    texts = [action.text() for action in hosts.devices_button.menu().actions()]
    assert texts[:4] == ["db1: disk", "The busiest (sdb)", "sdb", "sda"]
    hosts.devices_button.menu().actions()[3].trigger()
    assert legends(hosts, "disk operations") == ["Disk transfers sda (db1)", "Disk transfers sdb (db2)"]
    other = HostsView(Look())
    qtbot.addWidget(other)
    other.restore_state(page.save_layout()["hosts"])
    assert other.save_state() == hosts.save_state()
    other.restore_state(b"nonsense")
    assert other.save_state() == hosts.save_state()


def test_collectors_are_listed_and_a_failing_one_has_one_sentence(hosts: HostsView) -> None:
    assert [plain(text) for text in hosts.collectors.texts] == [
        "db1: Linux over SSH",
        "db2: Linux over SSH, its clock is 1.24 s ahead",
        "rack meter: Linux over SSH",
        "db1: https://bmc1.lab did not answer within 8 s; check its address and its network. It is tried again.",
    ]
    hosts._run.hosts.take(a_status(4, "db1", source="Redfish"))  # type: ignore[union-attr]
    hosts.refresh()
    hosts.draw()
    assert hosts.collectors.texts[3] == "db1: Redfish"


def test_watts_and_the_rate_for_each_are_tiles_while_the_run_goes_on(page: LivePage, run: RunData) -> None:
    page.show_run(loads_of(run))
    assert not page.view.head._watts.isVisible()
    run.started_at = STARTED_AT
    run.hosts.begin(STARTED_AT.timestamp())
    run.hosts.take(a_status(1, "meter"))
    power = (value(HostFigure.POWER, 400.0),)
    run.hosts.take(HostReading(collector=1, utc_seconds=STARTED_AT.timestamp() + run.end, values=power))
    page.refresh()
    assert page.view.head._watts.text == "400"
    rate = run.figures().headline_rate_window
    assert rate is not None
    assert float(plain(page.view.head._per_watt.text).replace(" ", "")) == pytest.approx(rate / 400, rel=0.01)
    run.set_state(RunState.COMPLETED, run.phases)
    page.refresh()
    assert not page.view.head._watts.isVisible()


def test_every_control_has_a_name(hosts: HostsView) -> None:
    assert nameless_controls(hosts) == []
