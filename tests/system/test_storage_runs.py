"""Storage runs with a real fio, on a file of this machine's disk."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from engine.analysis.client_state import ClientState, client_conditions
from engine.analysis.run_data import RunData
from engine.record.record import RunRecord
from tests.system.conftest import Spindle
from tests.waiting import wait_until

BASELINE_SECONDS = 11
LOAD = ("--workload", "storage", "--threads", "2", "--queue-depth", "4", "--read-pct", "70", "--warmup", "1s")


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    """A file on the disk of the repository: temporary folders may be in memory."""
    with TemporaryDirectory(dir=Path(__file__).parent) as folder:
        yield f"storage://{folder}/file"


@pytest.fixture(scope="module")
def spindle(bare_home: Path) -> Iterator[Spindle]:
    spindle = Spindle(bare_home)
    try:
        yield spindle
    finally:
        spindle.close()


def test_a_run_leaves_a_file_that_was_built_and_its_figures_agree(spindle: Spindle, target: str) -> None:
    spindle.prints("build", "--workload", "storage", "--target", target, "--file-size", "16MB")
    printed = spindle.ends("run", "--target", target, *LOAD, "--minutes", "4s")
    totals = spindle.result()
    assert totals["ios"] == totals["reads"] + totals["writes"] > 0
    assert totals["iops"] == totals["ios"] // totals["measured_seconds"]
    assert 0.6 < totals["reads"] / totals["ios"] < 0.8
    assert totals["kb_per_second"] == pytest.approx(totals["ios"] * 8.192 / 4, rel=0.01)
    phases = [event["label"] for event in totals["events"] if event["kind"] == "phase"]
    assert phases == ["starting", "warming up", "measuring", "stopping"]
    assert "starting" in spindle.prints("library", "export", "last", "--csv", "-")
    times = totals["rt_ms"]
    assert times["p50"] <= times["p95"] <= times["p99"] <= times["p999"] <= times["max"] * 1.01
    assert "p99.9" in printed
    assert "KB/s" in printed
    assert {sample.client for sample in spindle.samples()} == {1}
    assert "3 of 3 checks passed" in spindle.prints("verify", "--workload", "storage", "--target", target)


def test_fio_that_is_killed_is_started_again_and_the_file_of_the_run_goes_with_it(
    spindle: Spindle, target: str
) -> None:
    known, own = spindle.run_count(), f"{target}-own"
    run = spindle.start("run", "--target", own, *LOAD, "--file-size", "4MB", "--minutes", "60s")
    wait_until(lambda: spindle.run_count() > known and any(each.of("io").n for each in spindle.samples()), "it reads")
    (killed,) = fio_processes(own)
    killed.kill()
    wait_until(lambda: any(sample.down for sample in spindle.samples()), "fio is seen to be gone")
    down = max(sample.second for sample in spindle.samples() if sample.down)
    wait_until(lambda: any(each.second > down and each.of("io").n for each in spindle.samples()), "it reads again")
    run.press_ctrl_c()
    run.exit_code()
    assert fio_processes(own) == []
    assert "is written for this run and removed at its end" in run.err
    assert not list(folder_of(own).glob("file-own*"))
    seconds = [sample.second for sample in spindle.samples()]
    assert len(seconds) == len(set(seconds))
    assert all(later == earlier + 1 for earlier, later in itertools.pairwise(sorted(seconds)))
    assert [sample.errors for sample in spindle.samples() if sample.errors] == [{"other": 1}]
    events = json.dumps(spindle.result()["events"])
    assert "fio ended with exit code" in events


def test_a_run_whose_fio_stands_still_is_stalled_then_ok_and_its_recovery_is_judged(
    spindle: Spindle, target: str
) -> None:
    def state() -> ClientState:
        run = RunData(record().plan)
        for sample in spindle.samples():
            run.add(sample)
        run.set_state(record().state, record().phases)
        return client_conditions(run)[1].state

    def record() -> RunRecord:
        return spindle.library.run("last")

    def measured(seconds: int) -> bool:
        begins = record().phases.measuring_from
        return begins is not None and any(each.second >= begins + seconds for each in spindle.samples())

    known, own = spindle.run_count(), f"{target}-stalled"
    fault = ("--fault", f"T+{BASELINE_SECONDS}s mark Stopped")
    run = spindle.start("run", "--target", own, *LOAD, "--file-size", "4MB", "--minutes", "0", *fault)
    wait_until(lambda: spindle.run_count() > known and measured(BASELINE_SECONDS), "there is a baseline")
    (stopped,) = fio_processes(own)
    stopped.suspend()
    try:
        wait_until(lambda: state() is ClientState.STALLED, "all threads wait for an answer")
    finally:
        stopped.resume()
    wait_until(lambda: state() is ClientState.OK, "it goes on")
    first = max(sample.second for sample in spindle.samples())
    wait_until(
        lambda: sum(each.second > first and each.of("io").n > 0 for each in spindle.samples()) >= 2,
        "whole seconds with I/Os follow: the one in which the run ends is none",
    )
    run.press_ctrl_c()
    run.exit_code()
    (judged,) = (each["recovery"] for each in spindle.result()["faults"])
    blackout = judged["felt"]["blackout"]
    assert blackout["longest_seconds"] >= 3
    silent = range(blackout["last_io_second"] + 1, blackout["first_io_second"])
    assert {(each.working, each.down) for each in spindle.samples() if each.second in silent} == {(2, 0)}
    assert judged["calls"]["users_lost"] == 0


def test_the_file_of_a_run_that_was_killed_is_removed_at_the_next_start(spindle: Spindle, target: str) -> None:
    known, own = spindle.run_count(), f"{target}-left"
    run = spindle.start("run", "--target", own, *LOAD, "--file-size", "4MB", "--minutes", "60s")
    wait_until(lambda: spindle.run_count() > known and bool(spindle.samples()), "it is in use")
    run.kill()
    assert list(folder_of(own).glob("file-left"))
    wait_until(lambda: fio_processes(own) == [], "fio ends with the run")
    started = spindle.call("library", "list")
    assert "file-left (4MB), left by a run whose program was killed, was removed" in started.err
    assert not list(folder_of(own).glob("file-left*"))
    assert "was killed" not in spindle.call("library", "list").err


def test_a_dropped_store_has_no_file_and_a_foreign_file_is_left(spindle: Spindle, target: str) -> None:
    own = f"{target}-dropped"
    path, storage = Path(own.removeprefix("storage://")), ("--workload", "storage", "--target", own)
    spindle.prints("build", *storage, "--file-size", "1MB")
    assert "dropped" in spindle.prints("drop", *storage, "--yes")
    assert not list(path.parent.glob("file-dropped*"))
    again = spindle.call("drop", *storage, "--yes")
    assert again.code == 1
    assert "nothing to drop" in again.err
    path.write_text("somebody's")
    refused = spindle.call("build", *storage, "--file-size", "1MB")
    assert refused.code == 1
    assert "is a file that Spindle did not write" in refused.err
    assert path.read_text() == "somebody's"


def folder_of(target: str) -> Path:
    return Path(target.removeprefix("storage://")).parent


def fio_processes(target: str) -> list[psutil.Process]:
    """The fio processes that drive the file of a target, without their supervisor; other tests have fio run as well."""
    file = f"--filename={target.removeprefix('storage://')}"
    found = psutil.process_iter(["name", "cmdline"])
    return [each for each in found if each.info["name"] == "fio" and file in (each.info["cmdline"] or ())]
