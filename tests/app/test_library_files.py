import csv
import io
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.library.library import Library
from engine.plan.file import read_plan_file
from engine.plan.plan import RunPlan
from engine.telemetry.sample import Sample
from engine.workloads.dvdstore.ds2.parameters import parse_ds2_config, plan_from_ds2
from tests.app.conftest import Spindle
from tests.app.runs import SECONDS, a_run, keep, samples_of
from tests.engine.workloads.dvdstore.ds2_logs import echo, final, log, report


def test_json_and_csv_go_to_files_and_to_the_output(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    record = a_run()
    keep(home, record)
    path = tmp_path / "result.json"
    code, out, _ = spindle("library", "export", "last", "--json", str(path), "--csv", "-")
    assert code == 0
    assert json.loads(path.read_text(encoding="utf-8"))["run_id"] == record.run_id
    rows = list(csv.DictReader(io.StringIO(out)))
    assert sum(int(row["orders"]) for row in rows) == sum(sample.of("order").n for sample in samples_of(2))


def test_export_prints_progress(spindle: Spindle, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.library.stored_samples._REPORT_EVERY", SECONDS)
    keep(home, a_run(name="evening load"))
    _, _, err = spindle("library", "export", "last", "--csv", str(tmp_path / "run.csv"))
    assert err == "exporting: evening load: writing the samples (50%)\n"


def test_ctrl_c_ends_an_export_and_leaves_no_part_of_it(
    spindle: Spindle, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.stored_samples._REPORT_EVERY", 1)
    keep(home, a_run())
    samples = Library.samples

    def pressed_while_writing(library: Library, run_id: str) -> Iterator[Sample]:
        for number, sample in enumerate(samples(library, run_id)):
            if number == 3:
                signal.raise_signal(signal.SIGINT)
            yield sample

    monkeypatch.setattr(Library, "samples", pressed_while_writing)
    code, _, err = spindle("library", "export", "last", "--csv", str(tmp_path / "run.csv"))
    assert (code, "stopped." in err) == (130, True)
    assert not (tmp_path / "run.csv").exists()


def test_the_plan_goes_to_a_new_file_and_starts_the_run_again(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    record = a_run()
    keep(home, record)
    path = tmp_path / "again.toml"
    assert spindle("library", "export", "last", "--plan", str(path)).code == 0
    assert read_plan_file(path) == record.plan
    code, _, err = spindle("library", "export", "last", "--plan", str(path))
    assert code == 2
    assert "again.toml exists" in err
    assert spindle("library", "export", "last", "--plan", "-").code == 2


def test_the_plan_for_dvd_store_2(spindle: Spindle, home: Path) -> None:
    keep(home, a_run(plan=RunPlan(threads=32, think_time_ms=20, minutes=2), clients=1))
    code, out, _ = spindle("library", "export", "last", "--ds2-config", "-")
    assert code == 0
    plan = plan_from_ds2(parse_ds2_config(out, "export")).plan
    assert (plan.threads, plan.think_time_ms, plan.minutes) == (32, 20, 2)


def test_a_plan_that_dvd_store_2_can_not_drive_writes_nothing(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    keep(home, a_run(plan=RunPlan(databases=2, threads=8)))
    path = tmp_path / "ds2.cfg"
    code, _, err = spindle("library", "export", "last", "--ds2-config", str(path))
    assert code == 2
    assert "one database name" in err
    assert not path.exists()


def test_a_driver_s_output_becomes_a_run(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "driver.log"
    path.write_text(
        log(echo("db1", threads_together=32), "Stats reset", report(10, 500), report(20, 1100), final(30, 1700)),
        encoding="utf-8",
    )
    code, out, err = spindle("library", "import", str(path), "--name", "of 2011", "--tag", "old")
    assert (code, err) == (0, "")
    assert "of 2011" in out
    assert "errors are not known" in out
    (run,) = json.loads(spindle("library", "list", "--tag", "old", "--json").out)
    assert (run["name"], run["opm"], run["orders"], run["origin"]) == ("of 2011", 3400, 1700, "ds2 log")


def test_an_import_with_a_bad_tag_enters_nothing(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "driver.log"
    path.write_text(log(report(10, 500), final(30, 1700)), encoding="utf-8")
    assert spindle("library", "import", str(path), "--tag", "").code == 2
    assert json.loads(spindle("library", "list", "--json").out) == []
