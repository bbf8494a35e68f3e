from engine.analysis.comparing.run_sets import SetRun
from engine.record.record import RunState
from engine.report.sets.warnings import few_of, set_warnings


def a_run(run_id: str, opm: int, name: str = "", state: RunState = RunState.COMPLETED) -> SetRun:
    return SetRun(run_id=run_id, name=name, state=state, metric="OPM", headline_rate=opm)


def test_warning_is_listed_once_with_its_runs() -> None:
    warnings_by_run = {
        "a": ["It was slow.", "It was slow."],
        "b": ["It was odd.", "It was slow."],
        "c": [],
        "d": ["It was odd."],
    }
    runs = [a_run("a", 10, "high"), a_run("b", 30), a_run("c", 20), a_run("d", 5, "low")]
    combined = set_warnings(runs, warnings_by_run.__getitem__)
    assert [str(each) for each in combined] == ["high and b: It was slow.", "b and low: It was odd."]


def test_the_first_of_many_runs_and_the_number_of_the_others_are_named() -> None:
    assert few_of("abcd") == "a, b, c and d"
    assert few_of("abcde") == "a, b, c and 2 others"


def test_warnings_skip_runs_that_do_not_count() -> None:
    runs = [a_run("a", 10), a_run("b", 30, state=RunState.STOPPED)]
    assert set_warnings(runs, {"a": ["It was slow."]}.__getitem__) == [(("a",), "It was slow.")]
