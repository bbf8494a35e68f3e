"""`spindle check` and `spindle library history`: conditions on stored results, for build servers."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from engine.record.record import RunRecord, RunState
from tests.app.conftest import Spindle
from tests.app.runs import a_run, keep


def two_runs(home: Path, *, change_pct: float) -> tuple[RunRecord, RunRecord]:
    before = a_run(name="before")
    assert before.totals is not None
    assert before.totals.headline_rate is not None
    opm = round(before.totals.headline_rate * (1 + change_pct / 100))
    after = replace(a_run(minutes_later=1, name="after"), totals=replace(before.totals, headline_rate=opm))
    keep(home, before, after)
    return before, after


def test_a_regression_fails_and_a_smaller_one_passes(spindle: Spindle, home: Path) -> None:
    before, after = two_runs(home, change_pct=-4)
    call = ("check", after.run_id, "--against", before.run_id, "--fail-if")
    assert spindle(*call, "opm < -5 %").code == 0
    code, out, _ = spindle(*call, "opm < -3 %", "--fail-if", "p95 > +10 %")
    assert code == 1
    assert out.splitlines()[0].startswith("FAILED   opm < -3 %: OPM is")
    assert out.splitlines()[1].startswith("passed   p95 > +10 %")
    assert out.splitlines()[-1] == "run after against run before: failed."


def test_the_outcome_is_written_as_json_and_junit(spindle: Spindle, home: Path, tmp_path: Path) -> None:
    before, after = two_runs(home, change_pct=-4)
    junit = tmp_path / "check.xml"
    code, out, _ = spindle(
        *("check", after.run_id, "--against", before.run_id, "--json", "-", "--junit", str(junit)),
        *("--fail-if", "opm < -3 %", "--fail-if", "p95 > 1 s", "--fail-if", "recovery > 3 s"),
    )
    assert code == 1
    plain = json.loads(out)
    assert [each["outcome"] for each in plain["conditions"]] == ["failed", "passed", "unknown"]
    assert (plain["checked"], plain["against"], plain["passed"]) == ("run after", "run before", False)
    suite = ElementTree.fromstring(junit.read_text()).find("testsuite")
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
    }
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["opm < -3 %"]


def test_a_set_and_a_published_result_are_baselines(spindle: Spindle, home: Path) -> None:
    before, after = two_runs(home, change_pct=0)
    spindle("set", "make", "nightly", before.run_id)
    assert spindle("check", after.run_id, "--against", "nightly", "--fail-if", "opm < -1 %").code == 0
    spindle("reference", "add", "--name", "published", "--source", "a report", "--opm", "100,000,000")
    code, out, _ = spindle("check", "nightly", "--against", "published", "--fail-if", "opm < -1 %")
    assert code == 1
    assert "of 'published'" in out


def test_a_run_that_lost_an_order_fails_without_a_condition_about_it(spindle: Spindle, home: Path) -> None:
    counts = {"present": 9, "lost": 1, "replaced": 0, "in_doubt_present": 0, "in_doubt_absent": 0, "cut_off": 0}
    store = {"target": "t", "database": "ds2", "verdict": "lost", "counts": {**counts, "unknown": 0}}
    keep(home, a_run(audit={"verdict": "lost", "stores": [store]}))
    code, out, _ = spindle("check", "last", "--fail-if", "errors > 1000000")
    assert code == 1
    assert "FAILED   lost > 0: the number of lost orders is 1." in out


def test_what_can_not_be_checked_is_refused(spindle: Spindle, home: Path) -> None:
    stopped = replace(a_run(name="half"), state=RunState.STOPPED)
    completed = a_run(minutes_later=-1)
    keep(home, completed, stopped)
    assert (spindle("check", "last", "--fail-if", "opm < 3").code, "needs a run that completed") == (
        2,
        spindle("check", "last", "--fail-if", "opm < 3").err.partition("a check ")[2].strip().rstrip("."),
    )
    assert spindle("check", "last").code == 2
    for missing in (("nothing",), (completed.run_id, "--against", "nothing")):
        code, _, err = spindle("check", *missing, "--fail-if", "opm < 3")
        assert (code, "nothing" in err) == (2, True)  # 1 would say that a result failed


def test_the_history_of_a_plan_names_the_run_from_which_it_changed(spindle: Spindle, home: Path) -> None:
    records = []
    for number in range(10):
        run = a_run(minutes_later=number, name=f"night {number}")
        assert run.totals is not None
        records.append(
            replace(run, totals=replace(run.totals, headline_rate=(1_000 if number < 5 else 900) + number % 3))
        )
    keep(home, *records)
    plain = json.loads(spindle("library", "history", "last", "--json").out)
    assert [change["run_id"] for change in plain["changes"]] == [records[5].run_id]
    out = spindle("library", "history", "last").out
    (line,) = [line for line in out.splitlines() if "from here on" in line]
    assert records[5].run_id in line
    assert out.splitlines()[-1] == "10 runs of this plan, 1 change point."
