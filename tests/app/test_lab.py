import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from engine.faults.lab_actions import LabAction
from engine.lab.server import lab_stop
from engine.target.target import Target
from tests.app.conftest import Spindle
from tests.waiting import wait_until


@pytest.fixture
def lab_home() -> Iterator[Path]:
    """A home that the server's account may enter: pytest's own folders are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="spindle-tests-"))
    folder.chmod(0o755)
    yield folder
    lab_stop(folder / "lab", timeout_seconds=60)
    shutil.rmtree(folder)


def stands(spindle: Spindle, home: Path) -> dict[str, str]:
    code, out, err = spindle("--home", str(home), "lab", "status")
    assert (code, err) == (0, "")
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in out.replace("used by", "used").splitlines()}


def users(spindle: Spindle, home: Path) -> str:
    """Counted by the titles of the server's processes, which come and go later than the connections."""
    return stands(spindle, home)["users"]


def test_a_server_is_started_kept_and_stopped(spindle: Spindle, lab_home: Path) -> None:
    assert stands(spindle, lab_home)["state"] == "stopped"
    assert spindle("--home", str(lab_home), "lab", "stop").out == "it was not running\n"

    started = spindle("--home", str(lab_home), "lab", "start")
    assert started.code == 0, started.err
    target, password = Target.parse(started.out.strip())
    assert password is None
    wait_until(lambda: users(spindle, lab_home) == "0 connected", "the sessions of the start have ended")
    status = stands(spindle, lab_home)
    assert status["state"] == "running"
    assert status["port"] == str(target.hosts[0].port)
    assert status["used"] == "no program; kept running until spindle lab stop"

    secret = (lab_home / "lab" / "password").read_text(encoding="utf-8").strip()
    assert secret not in started.out + started.err
    with psycopg.connect(target.with_database("postgres").url, password=secret) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        wait_until(lambda: users(spindle, lab_home) == "1 connected", "this session alone is counted")
    logged = spindle("--home", str(lab_home), "lab", "log", "--lines", "5")
    assert (logged.code, logged.err) == (0, "")
    assert "database system is ready to accept connections" in logged.out
    assert "keeping" in spindle("--home", str(lab_home), "lab", "log", "--keeper").out
    assert "has not run yet" in spindle("--home", str(lab_home), "lab", "log", "--node", "3").err

    assert spindle("--home", str(lab_home), "lab", "stop").out == "stopped\n"
    assert stands(spindle, lab_home)["state"] == "stopped"


def test_a_pair_is_started_fails_over_and_is_looked_at(spindle: Spindle, lab_home: Path) -> None:
    home = ("--home", str(lab_home), "lab")
    started = spindle(*home, "start", "--nodes", "2", "--sync", "on", "--failover", "fast")
    assert started.code == 0, started.err
    assert started.out == "embedded:///ds2?nodes=2&sync=on&failover=fast\n"

    whole = spindle(*home, "status").out
    assert "shape    a synchronous pair, failover fast" in whole
    assert "safe     yes" in whole
    assert [line.split()[:3] for line in whole.splitlines()[-2:]] == [
        ["node1", "primary", "running"],
        ["node2", "standby", "running"],
    ]

    killed = spindle(*home, "do", "kill-primary")
    assert killed.code == 0, killed.err
    assert killed.out.startswith("killed ")
    wait_until(lambda: "node2  primary  running" in spindle(*home, "status").out, "the standby is the primary")
    assert "safe     no: an order acknowledged now is lost if the primary is" in spindle(*home, "status").out

    assert "node1 follows" in spindle(*home, "do", "rejoin", "--node", "1").out
    assert "safe     yes" in spindle(*home, "status").out
    delayed = spindle(*home, "do", "delay network", "--node", "2", "--value", "5")
    assert delayed.out == "the network of node2 is 5 ms more per round trip\n"
    assert spindle(*home, "status").out.splitlines()[-1].endswith("5 ms more per round trip")
    other = spindle("--home", str(lab_home), "build", "--db-size", "10MB")
    assert other.code != 0
    assert "--target 'embedded:///ds2?nodes=2&sync=on&failover=fast'" in other.err
    assert spindle(*home, "stop").out == "stopped\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("start", "--nodes", "4"), "nodes is '4'"),
        (("start", "--nodes", "2", "--sync", "maybe"), "sync is 'maybe'"),
        (("start", "--nodes", "2", "--failover", "soon"), "failover is 'soon'"),
        (("start", "--nodes", "2", "--failover", "probe", "--probe-misses", "0"), "probe misses is 0"),
        (("do", "unplug"), "lab action 'unplug' is not known"),
        (("log", "--node", "9"), "node 9 does not exist; give one from 1 to 3"),
        (("do", "kill-primary"), "the embedded server does not run; start it with: spindle lab start"),
    ],
)
def test_impossible_lab_actions_are_rejected_in_one_sentence(
    spindle: Spindle, lab_home: Path, arguments: tuple[str, ...], words: str
) -> None:
    refused = spindle("--home", str(lab_home), "lab", *arguments)
    assert refused.code != 0
    assert words in refused.err
    assert refused.err.count("\n") == 1


def test_help_lists_every_action(spindle: Spindle) -> None:
    expected = spindle("lab", "do", "--help").out
    for action in LabAction:
        assert action.value.replace("_", "-") in expected
