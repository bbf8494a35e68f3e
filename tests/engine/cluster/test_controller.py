"""What becomes of a run's agents when their controller fails."""

from pathlib import Path
from unittest import mock

from engine.cluster.certificates import CertificateFolder
from engine.cluster.controller import Controller
from engine.cluster.remote_agent import RemoteAgent
from engine.cluster.starter import CONTROLLER
from tests.waiting import wait_until


def test_agents_of_a_controller_that_fails_are_lost(tmp_path: Path) -> None:
    members = CertificateFolder(tmp_path)
    members.make(["lg1"])
    with mock.patch.object(RemoteAgent, "on_check", side_effect=ZeroDivisionError):
        controller = Controller("run", {"lg1": [1]}, {1: "ds2"}, members.files(CONTROLLER), lambda *_: None)
        agent = controller.agents["lg1"]
        wait_until(lambda: agent.is_lost, "the run does without it")
    controller.close()
    assert agent.lost_because == "the run does not listen any more"
