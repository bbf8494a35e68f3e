import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.background import Background, Job
from engine.errors import Cancelled

_SECONDS = 60.0
_MS = 60_000


class Recorder:
    """Records the reports, and on which thread each came."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []
        self.threads: set[threading.Thread] = set()

    def hear(self, what: str, value: object = None) -> None:
        self.calls.append((what, value))
        self.threads.add(threading.current_thread())

    def done(self, value: object) -> None:
        self.hear("done", value)

    def failed(self, error: BaseException) -> None:
        self.hear("failed", error)

    def cancelled(self) -> None:
        self.hear("cancelled")

    def progressed(self, doing: str, share: float) -> None:
        self.hear(doing, share)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def background(qtbot: QtBot, recorder: Recorder) -> Iterator[Background]:
    background = Background(fault=recorder.failed)
    yield background
    assert background.close(_SECONDS)


def test_the_result_comes_back_on_the_main_thread(background: Background, recorder: Recorder, qtbot: QtBot) -> None:
    worker: list[threading.Thread] = []

    def work(_job: Job[int]) -> int:
        worker.append(threading.current_thread())
        return 42

    background.start(work, done=recorder.done, cancelled=recorder.cancelled)
    assert not background.is_idle
    qtbot.waitUntil(lambda: background.is_idle, timeout=_MS)
    assert recorder.calls == [("done", 42)]
    assert recorder.threads == {threading.main_thread()}
    assert worker != [threading.main_thread()]


def test_failure_calls_failed_or_the_default_handler(background: Background, recorder: Recorder, qtbot: QtBot) -> None:
    own: list[BaseException] = []

    def work(_job: Job[None]) -> None:
        raise ValueError("no")

    background.start(work, done=recorder.done, failed=own.append)
    qtbot.waitUntil(lambda: background.is_idle, timeout=_MS)
    background.start(work, done=recorder.done)
    qtbot.waitUntil(lambda: background.is_idle, timeout=_MS)
    assert [str(error) for error in own] == ["no"]
    assert [(what, str(error)) for what, error in recorder.calls] == [("failed", "no")]


def test_cancelled_work_calls_no_callback(background: Background, recorder: Recorder, qtbot: QtBot) -> None:
    def work(job: Job[None]) -> None:
        while not job.cancelled():
            threading.Event().wait(0.005)
        raise Cancelled

    job = background.start(work, done=recorder.done, failed=recorder.failed, cancelled=recorder.cancelled)
    job.cancel()
    qtbot.waitUntil(lambda: background.is_idle, timeout=_MS)
    assert recorder.calls == [("cancelled", None)]


def test_newest_progress_arrives_before_the_result(background: Background, recorder: Recorder, qtbot: QtBot) -> None:
    def work(job: Job[str]) -> str:
        for number in range(1, 1001):
            job.report_progress("counting", number / 1000)
        return "counted"

    background.start(work, done=recorder.done, progressed=recorder.progressed)
    qtbot.waitUntil(lambda: background.is_idle, timeout=_MS)
    assert recorder.calls[-2:] == [("counting", 1.0), ("done", "counted")]
    shares = [share for what, share in recorder.calls if what == "counting"]
    assert shares == sorted(shares, key=lambda share: share if isinstance(share, float) else 0.0)


def test_closing_ends_work_without_callbacks(qtbot: QtBot, recorder: Recorder) -> None:
    background = Background(fault=recorder.failed)
    begun = threading.Event()

    def work(job: Job[None]) -> None:
        begun.set()
        while not job.cancelled():
            threading.Event().wait(0.005)
        raise Cancelled

    background.start(work, done=recorder.done, cancelled=recorder.cancelled)
    assert begun.wait(_SECONDS)
    assert background.close(_SECONDS)
    assert recorder.calls == []
