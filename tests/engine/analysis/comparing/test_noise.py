"""What a difference between two runs has to exceed; checked against runs that differ by chance alone."""

import random
from typing import Any

import pytest

from engine.analysis.comparing.comparison import differences
from engine.analysis.comparing.noise import (
    Noise,
    Spread,
    Verdict,
    noise_between,
    noise_text,
    own_spread,
    set_spreads,
    verdict_of,
)
from engine.analysis.run_data import RunData
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.record.totals import Totals
from tests.doubles.samples import OPM, dvd_sample
from tests.totals import totals_with


def totals(opm: float, p95: float = 8.0, **more: Any) -> Totals:
    usual = {"opm": opm, "rt_ms": {"p95": p95}, "errors": {}, "clients": [{"label": "a", "opm": opm}]}
    return totals_with(**(usual | more))


def a_run(orders_by_minute: list[int], *, measuring_from: int = 10) -> RunData:
    run = RunData(RunPlan())
    for second in range(measuring_from):
        run.add(dvd_sample(client=1, second=second, orders=1))
    for minute, orders in enumerate(orders_by_minute):
        for second in range(60):
            run.add(dvd_sample(client=1, second=measuring_from + 60 * minute + second, orders=orders))
    end = measuring_from + 60 * len(orders_by_minute)
    run.set_state(RunState.COMPLETED, Phases(measuring_from=measuring_from, measuring_to=end))
    return run


def test_set_spread_is_the_standard_error_of_its_runs() -> None:
    spreads = set_spreads("SSD", [totals(100, 8.0), totals(102, 8.0), totals(98, 9.0)])
    assert spreads["headline running"].error_pct == pytest.approx(2.0)
    assert spreads["headline running"].basis == "the spread of the 3 runs of set “SSD”"
    assert spreads["Service time p95"].error_pct == pytest.approx(6.93, abs=0.01)
    assert "Service time p99" not in spreads


def test_set_spread_of_two_runs_is_unknown() -> None:
    assert set_spreads("SSD", [totals(100), totals(102)]) == {}


def test_own_spread_is_computed_from_measured_minutes() -> None:
    spread = own_spread(a_run([100, 104, 96, 100]))["headline running"]
    assert spread.draws == 4
    assert spread.error_pct == pytest.approx(3.266 / 2, abs=0.01)
    assert spread.basis.startswith("the 4 measured minutes of the run alone")
    assert own_spread(a_run([100, 104])) == {}
    assert own_spread(a_run([100, 104, 96]), client=2) == {}


def test_own_spread_ignores_partial_minutes_and_warm_up() -> None:
    run = a_run([100, 100, 100], measuring_from=30)
    for second in range(210, 230):
        run.add(dvd_sample(client=1, second=second, orders=1))
    run.set_state(RunState.COMPLETED, Phases(measuring_from=30, measuring_to=230))
    assert own_spread(run)["headline running"].error_pct == 0


def test_own_spread_of_the_mean_service_time_weighs_each_minute_by_its_orders() -> None:
    run = RunData(RunPlan())
    for second in range(240):
        orders = 1 + second % 2
        run.add(dvd_sample(client=1, second=second, orders=orders, order_us=1_000 * (10 + second // 60) * orders))
    run.set_state(RunState.COMPLETED, Phases(measuring_from=0, measuring_to=240))
    spread = own_spread(run)["Service time mean"]
    assert spread.draws == 4
    assert spread.error_pct == pytest.approx(100 * 1.291 / 2 / 11.5, abs=0.01)


def test_response_times_that_differ_by_one_bucket_of_the_histogram_do_not_differ() -> None:
    def verdict(p95: float, noise: Noise | None = None) -> Verdict:
        by_name = {each.figure: each for each in differences(OPM, [totals(1, 9.10), totals(1, p95)])}
        return verdict_of(by_name["Service time p95"], 1, noise)

    assert verdict(9.117) is verdict(9.083) is Verdict.EQUAL
    assert verdict(9.13) is Verdict.UNKNOWN
    assert verdict(9.13, Noise(percent=0.5, basis="")) is Verdict.WITHIN_NOISE


def test_noise_uses_the_known_spread_for_both_runs() -> None:
    spread = Spread(error_pct=2.0, draws=5, basis="the set")
    noise = noise_between(spread, None)
    assert noise == noise_between(None, spread) == noise_between(spread, spread)
    assert noise is not None
    assert noise.percent == pytest.approx(2.31 * 2**0.5 * 2.0)
    assert noise_between(None, None) is None
    assert noise_text(noise) == "Up to ±6.5\u202f% may be chance: from the set."
    assert "repeat the runs" in noise_text(None)


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_noise_is_exceeded_by_chance_in_five_per_cent(runs: int) -> None:
    chance = random.Random(20261121)

    def a_set() -> dict[str, Spread]:
        return set_spreads("any", [totals(chance.gauss(10_000, 150)) for _ in range(runs)])

    exceeded = 0
    for _ in range(2_000):
        noise = noise_between(a_set()["headline running"], a_set()["headline running"])
        assert noise is not None
        difference = differences(OPM, [totals(chance.gauss(10_000, 150)), totals(chance.gauss(10_000, 150))])[0]
        exceeded += abs(difference.percent[1] or 0.0) > noise.percent
    assert 0.02 < exceeded / 2_000 < 0.08


def test_a_difference_is_better_worse_or_within_the_noise() -> None:
    opm, *others = differences(OPM, [totals(100, 8.0, rollback_pct=1.0), totals(110, 10.0, rollback_pct=2.0)])
    by_name = {each.figure: each for each in others}
    assert verdict_of(opm, 1, None) is Verdict.UNKNOWN
    assert verdict_of(opm, 1, Noise(percent=10.0, basis="")) is Verdict.WITHIN_NOISE
    assert verdict_of(opm, 1, Noise(percent=9.9, basis="")) is Verdict.BETTER
    assert verdict_of(opm, 0, None) is Verdict.EQUAL
    assert verdict_of(by_name["Service time p95"], 1, Noise(percent=9.9, basis="")) is Verdict.WORSE
    assert verdict_of(by_name["Rollbacks"], 1, None) is Verdict.NONE
    assert verdict_of(by_name["Service time p99"], 1, None) is Verdict.NONE


def test_difference_that_rounds_to_zero_is_none() -> None:
    def verdict(opm: float, noise: Noise | None = None) -> Verdict:
        return verdict_of(differences(OPM, [totals(10_000), totals(opm)])[0], 1, noise)

    assert verdict(10_004) is verdict(9_996) is Verdict.EQUAL
    assert verdict(10_006) is verdict(9_994) is Verdict.UNKNOWN
    assert verdict(10_004, Noise(percent=0.01, basis="")) is Verdict.BETTER


def test_some_errors_or_none_at_all_need_no_known_noise() -> None:
    def verdict(before: int, after: int) -> Verdict:
        runs = [totals(1, errors={"timeout": count} if count else {}) for count in (before, after)]
        return verdict_of(next(each for each in differences(OPM, runs) if each.figure == "Errors"), 1, None)

    assert verdict(0, 2) is Verdict.WORSE
    assert verdict(2, 0) is Verdict.BETTER
    assert verdict(2, 3) is Verdict.UNKNOWN
