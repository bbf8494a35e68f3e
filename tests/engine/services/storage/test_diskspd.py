"""diskspd on Windows, whose PowerShell is replaced: here is neither. What it prints has the form of its output."""

import os
import threading
from pathlib import Path

import pytest

from engine.errors import BadInput, Cancelled, UserError
from engine.machines.powershell import LONGEST_COMMAND, powershell
from engine.services.storage.access import SEQUENTIAL, Access
from engine.services.storage.diskspd import measuring
from engine.services.storage.diskspd.command import diskspd_arguments
from engine.services.storage.diskspd.measuring import WindowsPlace, check_path, measure
from tests.app.calling import in_this_process
from tests.doubles import diskspd_host
from tests.engine.workloads.storage.outputs import DISKSPD_XML
from tests.waiting import wait_until

GOOD = "folder=yes\nfree_mb=90000"
ACCESS = Access(path=r"E:\a folder\it's.dat", file_mb=1024, threads=2, queue_depth=8, read_pct=70)


@pytest.fixture
def windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "windows"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def measured(access: Access = ACCESS, cancelled: threading.Event | None = None) -> str:
    return measure(
        WindowsPlace(),
        access,
        seconds=30,
        warmup_seconds=5,
        program="diskspd.exe",
        report_progress=lambda _: None,
        cancelled=(cancelled or threading.Event()).is_set,
    )


def test_the_arguments_ask_for_what_the_access_says() -> None:
    words = diskspd_arguments(ACCESS, seconds=30, warmup_seconds=5)
    assert words == [
        *("-c1024M", "-b8K", "-t2", "-o8", "-r", "-w30", "-d30", "-W5", "-z1", "-Su", "-Zr"),
        *("-L", "-D1000", "-Rxml", ACCESS.path),
    ]
    log = Access(path="C:\\f", file_mb=1, read_pct=0, pattern=SEQUENTIAL, synced=True)
    assert {"-si", "-w100", "-Sh"} < set(diskspd_arguments(log, seconds=1, warmup_seconds=0))


def test_it_is_run_after_a_check_and_its_output_is_returned(windows: Path) -> None:
    log = diskspd_host.install(windows, place=GOOD, result=DISKSPD_XML)
    assert measured().strip() == DISKSPD_XML.strip()
    check, run = log.read_text().splitlines()
    assert check == "check"
    assert "-o8 -r -w30 -d30 -W5" in run
    assert "it''s.dat" in run


def test_a_cancelled_one_ends_by_its_input(windows: Path) -> None:
    log = diskspd_host.install(windows, place=GOOD)
    cancelled, outcome = threading.Event(), list[BaseException]()

    def work() -> None:
        try:
            measured(cancelled=cancelled)
        except Cancelled as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(lambda: log.exists() and "diskspd.exe" in log.read_text(), "it runs")
    cancelled.set()
    thread.join(60)
    assert len(outcome) == 1
    assert log.read_text().endswith("killed\n")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("folder=no", "does not exist; give the path of a file in one that does"),
        (f"{GOOD}\nexists=yes", "is there already, and would be overwritten"),
        (f"{GOOD}\ndatabase=E:\\data", r"in E:\\data, the data directory of a database"),
        ("folder=yes\nfree_mb=1228", "needs 1\u202f229 MB of room.*has 1\u202f228 MB"),
    ],
)
def test_a_place_that_must_not_be_written_is_refused(windows: Path, place: str, words: str) -> None:
    log = diskspd_host.install(windows, place=place)
    with pytest.raises(UserError, match=words):
        measured()
    assert log.read_text() == "check\n"


def test_what_fails_is_said_in_a_sentence(windows: Path) -> None:
    errors = 'Exception calling "Start" with "0" argument(s): "The system cannot find the file specified"'
    diskspd_host.install(windows, place=GOOD, result="<", exit_code=1, errors=errors)
    with pytest.raises(UserError, match=r"can't be started on this machine; get it from .*diskspd"):
        measured()
    diskspd_host.install(windows, place=GOOD, result="<", exit_code=5, errors="Error opening file")
    with pytest.raises(UserError, match=r"ended with exit code 5 \(Error opening file\)"):
        measured()


@pytest.mark.parametrize(
    "path", ["E:", "E:\\", "#0", r"\\.\PhysicalDrive1", "/data/f", "E:\\f\\", "E:\\a|b", 'E:\\a"b']
)
def test_a_device_and_half_a_path_are_refused(path: str) -> None:
    with pytest.raises(BadInput, match="give the whole path of a file"):
        check_path(path)


def test_the_scripts_are_short_enough_for_a_command_line_of_windows() -> None:
    for script in (measuring._CHECK_SCRIPT, measuring._RUN_SCRIPT):
        assert len(powershell(script)) < LONGEST_COMMAND - 1_500  # room for the path and the arguments


def test_the_command_keeps_the_result_in_the_library(windows: Path, tmp_path: Path) -> None:
    diskspd_host.install(windows, place=GOOD, result=DISKSPD_XML)
    home = ("--home", str(tmp_path / "home"))
    done = in_this_process(*home, "storage", "diskspd", r"E:\testfile.dat", "--file-size", "1GB", "--queue-depth", "8")
    assert done.code == 0, done.err
    assert "150" in done.out
    assert r"diskspd on this machine, E:\testfile.dat" in in_this_process(*home, "library", "list").out
