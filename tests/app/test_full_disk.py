"""A disk that fills up under a run: the result is printed and written, and the run comes into the library later."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.files.disk_space import SPARE_VARIABLE
from engine.library.library import Library
from engine.library.rescue import rescued_files
from tests.app.calling import COMMAND, REPOSITORY
from tests.app.conftest import Spindle
from tests.small_disk import SmallDisk, small_disk
from tests.waiting import wait_until

LOAD = ("--threads", "2", "--ramp-rate", "100", "--think-time-ms", "20", "--warmup", "0")


@pytest.fixture
def disk(home: Path) -> Iterator[SmallDisk]:
    """The home's own disk."""
    with small_disk(home) as disk:
        yield disk


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another disk."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.setenv(SPARE_VARIABLE, str(folder))
    return folder


def measures(home: Path) -> bool:
    path = home / "library.sqlite"
    if not path.exists():
        return False
    with Library.open(path, notify=pytest.fail) as library:
        records = library.runs()
        return bool(records) and records[0].phases.measuring_from is not None


def test_run_on_a_full_disk_has_a_result_and_is_imported_later(
    disk: SmallDisk, home: Path, elsewhere: Path, store: str, spindle: Spindle
) -> None:
    files = [elsewhere / "result.json", elsewhere / "rows.csv"]
    to_files = ("--json", str(files[0]), "--csv", str(files[1]))
    command = subprocess.Popen(
        [*COMMAND, "run", "--target", store, *LOAD, "--minutes", "0.15", "--audit", *to_files],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with command:
        wait_until(lambda: measures(home), "it measures")
        # Whatever is let go of, such as room in a ledger that was not needed, others take at once.
        wait_until(lambda: disk.fill() or command.poll() is not None, "it ends", timeout_seconds=240)
        out, err = command.communicate(timeout=120)
    assert command.returncode == 4, err
    assert "has no space left on its disk" in err
    assert "could not take it; it is kept in" in err
    assert "Traceback" not in err

    result = json.loads(files[0].read_text(encoding="utf-8"))
    assert result["state"] == "completed"
    assert result["measured_seconds"] == 9
    assert result["opm"] > 0
    assert f"run {result['run_id']}" in out
    assert "OPM" in out
    rows = files[1].read_text(encoding="utf-8").splitlines()
    assert len(rows) > 9
    assert result["audit"]["verdict"] == "clean", "the ledger had room"

    def is_shown_from_a_full_disk() -> bool:
        disk.fill()  # a process of the command may let go of files when it has ended itself
        listed = spindle("library", "list")
        assert listed.code == 0, "a full disk is no reason to show nothing"
        return "is open for reading only: its disk is full" in listed.err

    wait_until(is_shown_from_a_full_disk, "the library is open for reading only")
    refused = spindle("run", "--target", store, *LOAD, "--minutes", "0.01")
    assert (refused.code, "there is no room for a run in the library" in refused.err) == (1, True)
    assert spindle("library", "show", result["run_id"]).code == 0

    (waiting,) = rescued_files(home / "library.sqlite")
    assert waiting.parent == elsewhere
    disk.make_room()
    listed = spindle("library", "list", "--json")
    assert f"run {result['run_id']}" in listed.err
    assert "is in the library now" in listed.err
    (found,) = json.loads(listed.out)
    assert (found["run_id"], found["state"], found["opm"]) == (result["run_id"], "completed", result["opm"])
    assert not waiting.exists()
    assert spindle("library", "list").err == "", "it is expected once"
    again = json.loads(spindle("library", "export", "last", "--json", "-").out)
    assert again == result
    assert spindle("library", "export", "last", "--csv", "-").out.splitlines() == rows


# The command line where a campaign does not wait long for a library that can't be written.
_IMPATIENT = """
from engine.conduct.campaign import durable
durable._PATIENCE_SECONDS = 3.0
from app.cli.main import run_program
run_program()
"""
CAMPAIGN = """name = "night"
[plan]
targets = ["{store}"]
threads = 2
think_time_ms = 20
ramp_rate = 100
warmup_minutes = 0
minutes = 0.1
[[steps]]
kind = "run"
[[steps]]
kind = "run"
"""


def test_campaign_on_a_full_disk_is_resumed_without_repeating_the_run_that_was_kept(
    disk: SmallDisk, home: Path, elsewhere: Path, store: str, spindle: Spindle
) -> None:
    file = elsewhere / "night.toml"
    file.write_text(CAMPAIGN.format(store=store))
    command = subprocess.Popen(
        [sys.executable, "-c", _IMPATIENT, "campaign", "run", str(file), "--quiet"],
        cwd=REPOSITORY,
        stderr=subprocess.PIPE,
        text=True,
    )
    with command:
        wait_until(lambda: measures(home), "it measures")
        wait_until(lambda: disk.fill() or command.poll() is not None, "it ends", timeout_seconds=240)
        _, err = command.communicate(timeout=120)
    assert command.returncode == 1, err
    assert "it is kept in" in err
    assert "the campaign has failed" in err
    assert "Traceback" not in err
    (waiting,) = rescued_files(home / "library.sqlite")
    assert waiting.parent == elsewhere

    disk.make_room()
    resumed = spindle("campaign", "resume", "night", "--quiet")
    assert resumed.code == 0, resumed.err
    campaign = json.loads(spindle("campaign", "status", "night", "--json").out)
    runs = json.loads(spindle("library", "list", "--json").out)
    assert [run["state"] for run in runs] == ["completed", "completed"]
    assert campaign["state"] == "completed"
    assert [entry["run_id"] for entry in campaign["journal"]] == [run["run_id"] for run in reversed(runs)]
