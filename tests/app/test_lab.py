import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from engine.lab.server import lab_stop
from engine.target import Target
from tests.app.conftest import Spindle


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
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in out.replace("held by", "held").splitlines()}


def test_a_server_is_started_kept_and_stopped(spindle: Spindle, lab_home: Path) -> None:
    assert stands(spindle, lab_home)["state"] == "stopped"
    assert spindle("--home", str(lab_home), "lab", "stop").out == "it was not running\n"

    started = spindle("--home", str(lab_home), "lab", "start")
    assert started.code == 0, started.err
    target, password = Target.parse(started.out.strip())
    assert password is None
    status = stands(spindle, lab_home)
    assert status["state"] == "running"
    assert status["port"] == str(target.hosts[0].port)
    assert status["held"] == "0 programs, kept until spindle lab stop"

    secret = (lab_home / "lab" / "password").read_text(encoding="utf-8").strip()
    assert secret not in started.out + started.err
    with psycopg.connect(target.with_database("postgres").url, password=secret) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)

    assert spindle("--home", str(lab_home), "lab", "stop").out == "stopped\n"
    assert stands(spindle, lab_home)["state"] == "stopped"
