"""A real run on the embedded server, as the window conducts it."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.background import Background
from app.live.run import LiveRun
from app.workbench import Workbench
from engine.conduct.conductor import Conductor
from engine.driver.sinks import Sink
from engine.errors import UserError
from engine.lab.server import EmbeddedServer
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord, RunState
from engine.target.target import Target
from engine.telemetry.event import EventKind

_MS = 180_000


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def workbench(tmp_path: Path, store: str, messages: list[str]) -> Iterator[Workbench]:
    workbench = Workbench(find_places(tmp_path / "home"), notify=messages.append, warn=messages.append)
    yield workbench
    workbench.close()


@pytest.fixture
def live_run(qtbot: QtBot, workbench: Workbench) -> Iterator[LiveRun]:
    faults: list[BaseException] = []
    background = Background(fault=faults.append)
    live_run = LiveRun(workbench, background)
    yield live_run
    live_run.stop(now=True)
    qtbot.waitUntil(lambda: not live_run.is_busy, timeout=_MS)
    assert background.close(_MS / 1000)
    assert faults == []


def a_plan(url: str, **changed: object) -> RunPlan:
    values = {"threads": 2, "ramp_rate": 100, "warmup_minutes": 0.0, "minutes": 0.1, "think_time_ms": 20} | changed
    return RunPlan.from_dict({"targets": [url], "clients": 2, **values})


def test_live_run_is_shown_each_second_and_stored(
    live_run: LiveRun, workbench: Workbench, store: str, qtbot: QtBot
) -> None:
    ends: list[int] = []
    live_run.ticked.connect(lambda: ends.append(live_run.data.end if live_run.data else -1))
    with qtbot.waitSignal(live_run.ended, timeout=_MS) as ended:
        live_run.start(a_plan(store, name="evening"), reset=False)
        with pytest.raises(UserError, match="A run is in progress"):
            live_run.start(a_plan(store), reset=False)
    assert ended.args is not None
    record: RunRecord = ended.args[0]
    data = live_run.data
    assert data is not None
    assert (record.state, data.state, data.name) == (RunState.COMPLETED, RunState.COMPLETED, "evening")
    assert data.totals == record.totals
    stored = list(workbench.library().samples(record.run_id))
    assert data.series.count("order.n") == sum(sample.of("order").n for sample in stored)
    assert data.end == max(sample.second for sample in stored) + 1
    assert ends == sorted(ends)
    assert len(set(ends)) >= 3  # a busy machine shows several seconds at once
    assert [event.number for event in data.sorted_events()] == [
        event.number for event in workbench.library().events(record.run_id)
    ]


def test_marks_extension_and_stop_reach_the_run(
    live_run: LiveRun, workbench: Workbench, store: str, qtbot: QtBot
) -> None:
    live_run.start(a_plan(store, minutes=10), reset=False)
    qtbot.waitUntil(lambda: live_run.data is not None and live_run.data.state is RunState.MEASURING, timeout=_MS)
    data = live_run.data
    assert data is not None
    assert live_run.run is not None
    planned_end = data.phases.measuring_to
    number = live_run.run.add_mark("Enclosure pulled")
    live_run.extend(60)
    qtbot.waitUntil(lambda: number in data.events, timeout=_MS)
    assert planned_end is not None
    qtbot.waitUntil(lambda: data.phases.measuring_to == planned_end + 60, timeout=_MS)
    with qtbot.waitSignal(live_run.ended, timeout=_MS):
        live_run.stop()
    kept = [event for event in workbench.library().events(data.run_id) if event.kind is EventKind.MARK]
    assert kept == [data.events[number]]
    assert not np.isnan(data.series.by_second("order.n")).all()


def test_invalid_plan_is_reported_and_not_stored(
    live_run: LiveRun, workbench: Workbench, embedded_server: EmbeddedServer, store: str, qtbot: QtBot
) -> None:
    missing = Target.parse(store)[0].with_database("nobody")
    with qtbot.waitSignal(live_run.failed, timeout=_MS) as failed:
        live_run.start(a_plan(missing.url), reset=False)
    assert failed.args is not None
    assert "nobody" in str(failed.args[0])
    assert not live_run.is_busy
    assert workbench.library().runs() == []


def test_preparing_can_be_cancelled(
    live_run: LiveRun, workbench: Workbench, store: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, has_cancelled = Conductor.prepare, threading.Event()

    def prepare_when_cancelled(conductor: Conductor, **how: Any) -> None:
        assert has_cancelled.wait(_MS / 1000)
        prepare(conductor, **how)

    monkeypatch.setattr(Conductor, "prepare", prepare_when_cancelled)
    with qtbot.waitSignal(live_run.cancelled, timeout=_MS):
        live_run.start(a_plan(store), reset=False)
        live_run.cancel()
        has_cancelled.set()
    assert not live_run.is_busy
    assert workbench.library().runs() == []


def test_a_run_that_is_cancelled_while_it_is_being_started_is_stopped(
    live_run: LiveRun, store: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, has_begun = Conductor.start, threading.Event()

    def start_when_cancelled(conductor: Conductor, sinks: Sequence[Sink]) -> None:
        assert has_begun.wait(_MS / 1000)
        live_run.cancel()
        start(conductor, sinks)

    monkeypatch.setattr(Conductor, "start", start_when_cancelled)
    with qtbot.waitSignal(live_run.ended, timeout=_MS) as ended:
        live_run.start(a_plan(store, minutes=10), reset=False)
        has_begun.set()
    assert ended.args is not None
    assert ended.args[0].state is RunState.STOPPED


def test_dead_server_does_not_block_the_window(workbench: Workbench, live_run: LiveRun, qtbot: QtBot) -> None:
    with qtbot.waitSignal(live_run.failed, timeout=_MS) as failed:
        live_run.start(a_plan("postgresql://me@127.0.0.1:1/ds2"), reset=False)
    assert failed.args is not None
    assert isinstance(failed.args[0], Exception)
