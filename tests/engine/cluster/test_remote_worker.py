"""A worker that is stopped while it is started."""

import asyncio
import threading
from pathlib import Path

import pytest

from engine.cluster import remote_worker
from engine.cluster.certificates import CertificateFolder
from engine.cluster.remote_worker import RemoteWorker, WorkerPlan
from engine.cluster.state import StartedWorker, WorkerState
from engine.machines.access import SshAccess


def test_one_that_is_stopped_before_its_session_is_there_gets_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A name server is slow meanwhile."""
    is_asked, answers = threading.Event(), threading.Event()

    def slow_address(_access: SshAccess) -> str:
        is_asked.set()
        answers.wait(30)
        return "10.0.0.1"

    monkeypatch.setattr(remote_worker, "address_towards", slow_address)
    certificates = CertificateFolder(tmp_path)
    certificates.make(["lg1"])
    plan = WorkerPlan(machine="lg1", access=SshAccess(host="lg1.lab"))
    told: list[StartedWorker] = []
    worker = RemoteWorker(plan, certificates, tmp_path / "lg1.log", told.append)

    async def start_and_stop() -> None:
        starting = asyncio.create_task(worker.start(8786))
        await asyncio.to_thread(is_asked.wait, 30)
        await worker.stop()
        answers.set()
        await starting

    asyncio.run(start_and_stop())
    assert worker.now == StartedWorker(machine="lg1", state=WorkerState.ENDED, message="It was stopped.")
    assert worker.is_over, "it may be started again"
    assert [each.state for each in told] == [WorkerState.STARTING], "who stops it knows"
    assert not (tmp_path / "lg1.log").exists(), "no session was begun"
