"""Sets of runs: the median run, what is left out, and a defined answer for every odd set."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.run_sets import SetRun, median_run, set_figures
from engine.errors import BadInput
from engine.record.record import RunState
from tests.engine.analysis.published_rows import clients, totals_of

STATES = st.sampled_from([RunState.COMPLETED, RunState.COMPLETED, RunState.STOPPED, RunState.FAILED])
RUNS = st.lists(st.tuples(STATES, st.none() | st.integers(0, 300)), max_size=8).map(
    lambda drawn: [a_run(f"r{place}", opm, state) for place, (state, opm) in enumerate(drawn)]
)


def a_run(run_id: str, opm: int | None, state: RunState = RunState.COMPLETED) -> SetRun:
    return SetRun(run_id=run_id, name=f"#{run_id}", state=state, metric="OPM", headline_rate=opm)


def measured(run_id: str, *opms: int) -> SetRun:
    totals = totals_of(clients(*opms))
    return SetRun(
        run_id=run_id,
        name="",
        state=RunState.COMPLETED,
        metric="OPM",
        headline_rate=totals.headline_rate,
        client_headline_rates={client.label: client.headline_rate for client in totals.clients},
    )


def test_median_of_three_runs_has_its_own_clients() -> None:
    runs = [
        measured("a", 46_000, 46_900, 46_800, 46_561),
        measured("b", 46_627, 46_597, 46_819, 46_561),
        measured("c", 46_700, 46_700, 46_900, 46_600),
    ]
    figures = set_figures(runs)
    assert figures.median.run is runs[1]
    assert runs[1].headline_rate == 186_604
    assert f"{figures.variability_pct:.1f}" == "0.6"
    assert (figures.best, figures.worst) == (runs[2], runs[0])
    assert figures.headline_rate_spread == 186_900 - 186_261
    assert f"{figures.spread_pct:.2f}" == "0.34"
    assert figures.median.sentence == "b is the median run of 3."


def test_median_of_an_even_number_is_the_lower_middle_run() -> None:
    choice = median_run([a_run("a", 40), a_run("b", 10), a_run("c", 30), a_run("d", 20)])
    assert choice.run is not None
    assert choice.run.headline_rate == 20
    assert choice.sentence == "#d is the median run of 4: the lower of the middle two, as the number is even."


def test_runs_that_did_not_complete_are_left_out_and_named() -> None:
    runs = [
        a_run("a", 10),
        a_run("b", 99, RunState.STOPPED),
        a_run("c", 98, RunState.FAILED),
        a_run("d", 97, RunState.INTERRUPTED),
        a_run("e", 96, RunState.MEASURING),
        a_run("f", None),
    ]
    choice = median_run(runs)
    assert choice.run is runs[0]
    assert [out.reason for out in choice.left_out] == [
        "it was stopped",
        "it failed",
        "it was interrupted",
        "it is not over",
        "its OPM is not known",
    ]
    assert choice.sentence.startswith("Only #a counts; it represents the set. Left out: #b, as it was stopped; #c, as")


@pytest.mark.parametrize("runs", [[], [a_run("a", 5, RunState.FAILED)]])
def test_set_without_counted_runs_has_no_median(runs: list[SetRun]) -> None:
    figures = set_figures(runs)
    assert figures.median.run is figures.best is figures.worst is None
    assert figures.spread_pct is figures.headline_rate_spread is figures.variability_pct is None
    assert figures.median.sentence.startswith("No run of the set counts")


def test_set_with_one_run_has_no_spread() -> None:
    figures = set_figures([a_run("a", 10)])
    assert figures.best is figures.worst is figures.median.run
    assert figures.headline_rate_spread is figures.spread_pct is None


def test_spread_of_runs_without_orders_is_zero_without_percent() -> None:
    figures = set_figures([a_run("a", 0), a_run("b", 0)])
    assert (figures.headline_rate_spread, figures.spread_pct) == (0, None)


def test_a_run_given_twice_is_refused() -> None:
    with pytest.raises(BadInput, match="run a is 2 times in the set; give each run once"):
        set_figures([a_run("a", 1), a_run("a", 1)])


@given(RUNS, st.randoms())
def test_median_does_not_depend_on_the_order_of_runs(runs: list[SetRun], random: Random) -> None:
    choice = median_run(runs)
    assert median_run(random.sample(runs, len(runs))).run == choice.run
    assert len(choice.counted) + len(choice.left_out) == len(runs)
    if choice.run is None or choice.run.headline_rate is None:
        assert not choice.counted
        return
    opms = [run.headline_rate for run in choice.counted if run.headline_rate is not None]
    assert 2 * sum(opm <= choice.run.headline_rate for opm in opms) >= len(opms)
    assert 2 * sum(opm >= choice.run.headline_rate for opm in opms) > len(opms)
