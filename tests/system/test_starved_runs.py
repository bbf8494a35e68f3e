"""A run whose driver is starved of processor time on purpose, or stopped, reports that: live, and in all its documents.

The busy processes end by themselves within a minute, and are ended by their ids.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import ceil, floor
from pathlib import Path

import psutil
import pytest

from engine.telemetry.event import EventCode
from tests.child_processes import processes_of_runs
from tests.system.conftest import COMMAND_SECONDS, RunningCommand, Spindle
from tests.texts import lacks
from tests.waiting import wait_until

LOAD = ("--clients", "2", "--threads", "3", "--think-time-ms", "50", "--ramp-rate", "20", "--warmup", "0")
BUSY = "import time\nends = time.monotonic() + 60\nwhile time.monotonic() < ends: pass"
BUSY_PROCESSES = 64
LIVE = "the workstation distorts the run: a heartbeat of client "
KEPT = re.compile(
    r"he workstation distorted the run for (?:(\d+) s|(\d+):(\d\d) min)(?: from \d+:\d\d on)?:"
    r" a heartbeat of client ds2 #[12] came up to (\d+) ms late \(p99\)"
)
STANDSTILL_SECONDS = 6.0
STOOD_STILL = re.compile(r"the main process stood still for \d+\.\d s")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="threads are put on one processor as Linux does it")


@pytest.fixture
def starve() -> Iterator[tuple[Callable[[psutil.Process], None], Callable[[], None]]]:
    """Crowds the clients of a run together with busy processes on one processor; the server keeps the others.

    Each has a session of its own, as the clients have: Linux shares processors out by session (sched(7), autogroup). Of
    a quarter as many, the clients were served in time.
    """
    busy: list[subprocess.Popen[bytes]] = []
    processor = min(os.sched_getaffinity(0))

    def begin(command: psutil.Process) -> None:
        for _ in range(BUSY_PROCESSES):
            process = subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True)
            busy.append(process)
            os.sched_setaffinity(process.pid, {processor})
        for client in processes_of_runs(command):  # its probe may starve as well
            for thread in client.threads():
                with suppress(ProcessLookupError):  # it has ended
                    os.sched_setaffinity(thread.id, {processor})

    def end() -> None:
        for process in busy:
            process.kill()
            process.wait(20)

    yield begin, end
    end()


def output_of(command: RunningCommand) -> str:
    return command.out + command.err


def test_starved_driver_is_reported_live_and_in_result_and_report(
    spindle: Spindle, starve: tuple[Callable[[psutil.Process], None], Callable[[], None]], tmp_path: Path
) -> None:
    runs = spindle.run_count()
    command = spindle.start("run", *LOAD, "--minutes", "0")
    spindle.wait_until_measuring(runs)

    begin, end = starve
    begin(psutil.Process(command.process.pid))
    wait_until(lambda: LIVE in output_of(command), "it is shown live", timeout_seconds=COMMAND_SECONDS)
    end()
    command.process.send_signal(signal.SIGINT)
    command.exit_code()

    report = tmp_path / "report.html"
    spindle.prints("report", "last", "--out", str(report))
    result = spindle.result()
    texts = {
        "the terminal": command.out,
        "the kept result": spindle.prints("library", "show", "last"),
        "the JSON": "\n".join(event["label"] for event in result["events"]),
        "the report": report.read_text(encoding="utf-8"),
    }
    found = {where: KEPT.search(text) for where, text in texts.items()}
    assert all(found.values()), [where for where, match in found.items() if match is None]
    intervals = {match.groups() for match in found.values() if match is not None}
    (interval,) = intervals
    whole, minutes, seconds, late = interval
    lasted = int(whole) if whole else 60 * int(minutes) + int(seconds)
    # The first, as in the texts: a machine that is busy with other things may distort the run again.
    since, *_ = (floor(event["at_seconds"]) for event in result["events"] if KEPT.search(event["label"]))
    assert result["phases"]["measuring_from"] <= since
    late_ms = int(late)
    assert late_ms > 10
    assert max(client["heartbeat_max_ms"] for client in result["driver"]) >= late_ms - 1
    assert all(client["clock_offset_ms"] >= 0 for client in result["driver"])
    distortions = [each for each in result["spells"] if each["what"] == "distortion"]
    (reported,) = (each for each in distortions if int(each["from_seconds"]) == since)
    assert ceil(reported["to_seconds"]) == since + lasted
    measured = next(each for each in reported["measures"] if each["measure"] == "heartbeat_ms")
    assert round(measured["worst"]) == late_ms
    assert measured["process"] in (1, 2)


def test_standstill_of_the_main_process_is_an_event_of_the_run_and_in_its_documents(
    spindle: Spindle, tmp_path: Path
) -> None:
    runs = spindle.run_count()
    command = spindle.start("run", *LOAD, "--minutes", "0")
    spindle.wait_until_measuring(runs)
    assert STOOD_STILL.search(output_of(command)) is None

    command.process.send_signal(signal.SIGSTOP)
    time.sleep(STANDSTILL_SECONDS)  # of a process that does nothing there is nothing to wait for
    command.process.send_signal(signal.SIGCONT)
    wait_until(
        lambda: STOOD_STILL.search(output_of(command)) is not None, "it is shown live", timeout_seconds=COMMAND_SECONDS
    )
    command.process.send_signal(signal.SIGINT)
    command.exit_code()

    report = tmp_path / "report.html"
    spindle.prints("report", "last", "--out", str(report))
    (event,) = [each for each in spindle.result()["events"] if each["code"] == EventCode.MAIN_PROCESS_STOOD_STILL]
    assert event["data"]["seconds"] >= STANDSTILL_SECONDS
    assert event["label"] == f"the main process stood still for {event['data']['seconds']} s"
    for text in (command.out, spindle.prints("library", "show", "last"), report.read_text(encoding="utf-8")):
        assert lacks(text, event["label"]) == []
