"""A real run in the window that reads this workstation and its own database: live, and as the library has it."""

from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.window.main_window import Place
from engine.plan.plan import RunPlan
from tests.app.window_parts import open_desktop
from tests.texts import lacks
from tests.widgets.parts.charts import drawn_points
from widgets.parts.chart.time_chart import TimeChart
from widgets.parts.host.host_charts import HostCharts

_PLAN = {
    "threads": 2,
    "warmup_minutes": 0.0,
    "minutes": 0.1,
    "name": "watched",
    "machines": ["workstation"],
    "server_waits": True,
}
_CHARTS = {"CPU", "memory used", "log written", "sessions by wait"}


def shown(charts: HostCharts) -> dict[str, TimeChart]:
    return {name: chart for (name, _), chart in charts.by_group.items() if not chart.isHidden()}


def known(chart: TimeChart) -> int:
    """How many seconds of its fullest curve are known."""
    return max((int((~np.isnan(drawn_points(chart, key)[1])).sum()) for key in chart.curves.by_key), default=0)


def test_hosts_are_watched_during_a_run_and_stored_with_it(
    qapp: QApplication, qtbot: QtBot, home: Path, store: str
) -> None:
    opened = open_desktop(qapp, qtbot, home)
    desktop, live = opened.desktop, opened.desktop.live.widget
    desktop.start_run(RunPlan.from_dict({"targets": [store], **_PLAN}), reset=False)
    opened.wait_for(lambda: live.view.pages.count() == 2)
    live.view.pages.setCurrentWidget(live.hosts)
    opened.wait_for(lambda: set(shown(live.hosts.charts)) >= _CHARTS)
    opened.wait_for(lambda: known(shown(live.hosts.charts)["CPU"]) >= 3)
    sources = ("workstation: local", "127.0.0.1: database command_line")
    opened.wait_for(lambda: not lacks(" ".join(live.hosts.collectors.texts), *sources))
    cpu, headline = shown(live.hosts.charts)["CPU"], live.hosts.charts.headline
    opened.wait_for(lambda: cpu.visible_range == headline.visible_range)
    opened.wait_for(lambda: not desktop.live_run.is_busy)
    run_id = desktop.live.widget.run.run_id if desktop.live.widget.run else ""
    desktop.window.show_place(Place.LIBRARY)
    desktop.library.page.open_requested.emit(run_id)
    page = desktop.library.run_page
    opened.wait_for(lambda: page.run_id == run_id and len(page.host.measurements) == 2)
    page.tabs.setCurrentWidget(page.host)
    opened.wait_for(lambda: set(shown(page.host.charts)) >= _CHARTS)
    assert known(shown(page.host.charts)["CPU"]) >= 3  # as many as were waited for above
    opened.end()
