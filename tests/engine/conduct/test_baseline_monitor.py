from datetime import UTC, datetime

from engine.analysis.recovery.settings import RecoverySettings
from engine.conduct.baseline_monitor import BaselineMonitor
from engine.record.record import Phases, RunState
from tests.doubles.live_runs import MEASURING_FROM, a_plan, a_second

SETTINGS = RecoverySettings(baseline_seconds=20)
CLIENTS = 2


def a_watch(seconds: int, *, out_from: int = 10_000) -> BaselineMonitor:
    watch = BaselineMonitor(a_plan(CLIENTS), SETTINGS)
    watch.begin(datetime(2026, 11, 21, tzinfo=UTC))
    watch.set_state(RunState.MEASURING, Phases(warming_up_from=10, measuring_from=MEASURING_FROM))
    for second in range(seconds):
        for client in range(1, CLIENTS + 1):
            watch.write_sample(a_second(client, second, out=second >= out_from))
    return watch


def test_the_baseline_is_steady_once_enough_steady_seconds_were_measured() -> None:
    assert not a_watch(MEASURING_FROM + 2).is_steady()
    assert a_watch(MEASURING_FROM + 30).is_steady()


def test_baseline_with_an_outage_is_not_steady() -> None:
    assert not a_watch(MEASURING_FROM + 40, out_from=MEASURING_FROM + 30).is_steady()


def test_baseline_is_unknown_before_measuring() -> None:
    watch = BaselineMonitor(a_plan(CLIENTS), SETTINGS)
    assert not watch.is_steady()
