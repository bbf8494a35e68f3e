"""Slow work that was replaced or dropped reports nothing, even if it does not notice that it was cancelled."""

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.background import Background, Job
from app.newest_job import NewestJob
from tests.app.window_parts import WHILE_MS


@pytest.fixture
def background(qapp: object) -> Iterator[Background]:
    made = Background(fault=lambda error: pytest.fail(str(error)))
    yield made
    assert made.close(10)


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("is_replaced", [False, True])
def test_older_job_calls_no_callback(background: Background, qtbot: QtBot, *, is_replaced: bool, fails: bool) -> None:
    expected: list[object] = []
    gate = threading.Event()
    newest = NewestJob(background)

    def older(job: Job[str]) -> str:
        gate.wait()
        job.report_progress("older", 0.5)
        if fails:
            raise ValueError("older")
        return "older"

    newest.start(
        older, done=expected.append, failed=expected.append, progressed=lambda doing, _: expected.append(doing)
    )
    if is_replaced:
        newest.start(lambda _: "newer", done=expected.append, failed=expected.append)
    else:
        newest.drop()
    gate.set()
    qtbot.waitUntil(lambda: background.is_idle, timeout=WHILE_MS)
    assert expected == (["newer"] if is_replaced else [])


def test_newest_job_reports_progress_and_result(background: Background, qtbot: QtBot) -> None:
    expected: list[object] = []

    def work(job: Job[str]) -> str:
        job.report_progress("reading", 0.5)
        return "read"

    NewestJob(background).start(
        work, done=expected.append, failed=expected.append, progressed=lambda doing, _: expected.append(doing)
    )
    qtbot.waitUntil(lambda: background.is_idle, timeout=WHILE_MS)
    assert expected == ["reading", "read"]
