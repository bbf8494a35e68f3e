"""The table of stages on the page of a stored run."""

from dataclasses import replace

from pytestqt.qtbot import QtBot

from engine.analysis.run_data import RunData
from engine.plan.load.stage import Stage
from engine.plan.plan import RunPlan
from engine.record.totals import NO_TOTALS, ResponseTimes, StageTotals
from engine.telemetry.event import EventCode, EventKind, RunEvent
from widgets.library.stages_table import StagesTable

STAGES = tuple(
    StageTotals(
        number=number,
        users=10 * number,
        first_second=0,
        seconds=90,
        headline=100 * min(number, 3),
        count=150 * min(number, 3),
        times=ResponseTimes(mean=1.0, p95=2.0, p99=3.0),
        clients_cpu_pct=5.0,
    )
    for number in range(1, 6)
)
ENDED = RunEvent(
    number=1, at_seconds=9, kind=EventKind.PHASE, code=EventCode.STAIRCASE_ENDED, label="the staircase ended: its end"
)


def a_run(stages: tuple[StageTotals, ...]) -> RunData:
    run = RunData(RunPlan(threads=50, stages=tuple(Stage(users=each.users, seconds=120) for each in STAGES)))
    run.totals = replace(NO_TOTALS, stages=stages)
    return run


def test_stages_have_a_row_each_and_minimum_maximum_and_average(qtbot: QtBot) -> None:
    table = StagesTable()
    qtbot.addWidget(table)
    run = a_run(STAGES)
    run.put_event(ENDED)
    table.show_run(run)

    assert not table.isHidden()
    assert table.head.text() == (
        "The staircase ended: its end. The knee is at 30 users, with 300 OPM: up to there a user added 10.0 OPM, beyond"
        " it 0 OPM."
    )
    model = table.model
    rows = [[model.index(row, column).data() for column in range(2)] for row in range(model.rowCount())]
    assert rows == [
        *([f"{number}: {10 * number} users", str(100 * min(number, 3))] for number in range(1, 6)),
        ["Minimum", "100"],
        ["Maximum", "300"],
        ["Average", "240"],
    ]


def test_run_without_stages_has_no_table(qtbot: QtBot) -> None:
    table = StagesTable()
    qtbot.addWidget(table)
    table.show_run(a_run(STAGES))
    table.show_run(a_run(()))
    assert table.isHidden()
