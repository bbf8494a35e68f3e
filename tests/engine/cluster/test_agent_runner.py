"""What a worker does with its agents; a function is in the place of the agent itself."""

import multiprocessing
import threading
import time
from pathlib import Path

import pytest

from engine.cluster import agent_runner
from engine.cluster.agent_runner import AgentRunner
from engine.cluster.starter import AgentStart, TlsFiles
from engine.errors import UserError

HERE = TlsFiles(ca="here/ca.pem", certificate="here/certificate.pem", key="here/key.pem")
START = AgentStart(
    run_id="r1",
    machine="load1",
    controller_addresses=("10.0.0.1",),
    port=4711,
    certificates=TlsFiles(ca="there/ca.pem", certificate="there/certificate.pem", key="there/key.pem"),
)


def test_an_agent_gets_the_files_of_its_machine(tmp_path: Path) -> None:
    starts: list[AgentStart] = []

    def agent(start: AgentStart) -> int:
        starts.append(start)
        assert runner.running == ["r1"]
        return 3

    runner = AgentRunner("load1", HERE, tmp_path / "runs", agent)
    assert runner.run(START) == 3
    assert [each.certificates for each in starts] == [HERE]
    assert runner.running == []


def test_a_run_is_taken_once_also_by_a_worker_that_comes_back(tmp_path: Path) -> None:
    AgentRunner("load1", HERE, tmp_path, lambda _: 0).run(START)
    with pytest.raises(UserError, match="load machine load1 has had run r1 already; start another run"):
        AgentRunner("load1", HERE, tmp_path, lambda _: 0).run(START)
    AgentRunner("load2", HERE, tmp_path, lambda _: 0).run(START)  # another machine with the same home


def test_agents_are_waited_for(tmp_path: Path) -> None:
    may_end, has_begun = threading.Event(), threading.Event()

    def agent(_: AgentStart) -> int:
        has_begun.set()
        may_end.wait(30)
        return 0

    runner = AgentRunner("load1", HERE, tmp_path, agent)
    running = threading.Thread(target=runner.run, args=(START,))
    waiting = threading.Thread(target=runner.wait_until_none)
    running.start()
    assert has_begun.wait(30)
    waiting.start()
    assert waiting.is_alive()
    may_end.set()
    waiting.join(30)
    assert not waiting.is_alive()
    running.join(30)


def test_the_end_of_another_run_leaves_an_agent_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that waits for a machine which another one has got first gives up, and ends what it has started there."""
    monkeypatch.setattr(agent_runner, "_LEAVE_SECONDS", 0.0)
    agent = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    has_begun = threading.Event()

    def start_agent(_: AgentStart) -> int:
        agent.start()
        has_begun.set()
        agent.join()
        return agent.exitcode or 0

    runner = AgentRunner("load1", HERE, tmp_path, start_agent)
    running = threading.Thread(target=runner.run, args=(START,))
    running.start()
    assert has_begun.wait(30)
    runner.end("r2")
    assert agent.is_alive()
    assert runner.running == ["r1"]
    runner.end("r1")
    running.join(30)
    assert not running.is_alive()
    assert runner.running == []
