"""Results checked against conditions."""

import pytest

from engine.analysis.verdicts.check import CheckReport, Outcome, check
from engine.analysis.verdicts.condition import parse_condition
from engine.analysis.verdicts.figures import LOST, RECOVERY, Measured
from engine.errors import BadInput
from engine.figure_text import plain_spaces
from engine.workload.registry import DVD_STORE, WHOLESALE
from tests.totals import totals_with


def measured(opm: int | None = 1_000, p95: float | None = 20.0, **others: float) -> Measured:
    totals = totals_with(opm=opm, rt_ms={"p95": p95}, errors={"timeout": 2})
    return Measured(title="run b", workload=DVD_STORE, totals=totals, others=others)


def a_set(*opms: int) -> Measured:
    runs = tuple(totals_with(opm=opm) for opm in opms)
    return Measured(title="set 'a'", workload=DVD_STORE, totals=runs[len(runs) // 2], runs=runs)


def checked(result: Measured, baseline: Measured | None, *conditions: str) -> CheckReport:
    return check(result, baseline, [parse_condition(text, DVD_STORE) for text in conditions])


def outcomes(report: CheckReport) -> list[Outcome]:
    return [each.outcome for each in report.judged]


def test_a_condition_that_holds_fails_the_result() -> None:
    report = checked(measured(opm=960), measured(opm=1_000), "opm < -3 %", "opm < -5 %", "p95 > +10 %", "errors > 1")
    assert outcomes(report) == [Outcome.FAILED, Outcome.PASSED, Outcome.PASSED, Outcome.FAILED]
    assert not report.has_passed
    assert report.judged[0].change_pct == pytest.approx(-4.0)
    assert plain_spaces(report.judged[0].sentence) == "OPM is 960, −4.0 % from 1 000 of run b."


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("p95 > 30", "p95 is 20.0 ms."),
        ("errors > 5", "the number of errors is 2."),
        ("lost > 0", "the number of lost orders is 0."),
        ("in_doubt > 0", "the number of purchases in doubt is not known."),
        ("rollback_pct > 1", "rollbacks are not known."),
    ],
)
def test_sentences_agree_with_figures_of_one_and_of_many(condition: str, sentence: str) -> None:
    (judged,) = checked(measured(**{LOST: 0}), None, condition).judged
    assert plain_spaces(judged.sentence) == sentence


def test_a_change_in_the_figures_own_unit() -> None:
    report = checked(measured(p95=26.0), measured(p95=20.0), "p95 > +5 ms", "p95 > +6 ms")
    assert outcomes(report) == [Outcome.FAILED, Outcome.PASSED]


@pytest.mark.parametrize(
    ("condition", "baseline"),
    [
        ("opm < -3 %", measured(opm=None)),
        ("opm < -3 %", measured(opm=0)),
        ("lost > 0", None),
        ("recovery > 30 s", None),
        ("p99 > 30 ms", None),
    ],
)
def test_a_figure_that_is_not_known_does_not_pass(condition: str, baseline: Measured | None) -> None:
    report = checked(measured(), baseline, condition)
    assert (outcomes(report), report.has_passed) == ([Outcome.UNKNOWN], False)


def test_the_rate_per_target_is_that_of_each_store() -> None:
    clients = [{"label": str(number), "target": f"embedded:///ds2_{number % 2}"} for number in range(4)]
    driven = Measured(title="run b", workload=DVD_STORE, totals=totals_with(opm=50_000, clients=clients))
    report = checked(driven, None, "opm_per_target < 25000", "opm_per_target <= 25000")
    assert outcomes(report) == [Outcome.PASSED, Outcome.FAILED]
    unknown = checked(measured(), None, "opm_per_target < 25000")
    assert outcomes(unknown) == [Outcome.UNKNOWN]


def test_figures_beside_the_totals_are_checked() -> None:
    result = measured(**{LOST: 1, RECOVERY: 12.5})
    assert outcomes(checked(result, None, "lost > 0", "recovery > 30 s")) == [Outcome.FAILED, Outcome.PASSED]


def test_the_spread_of_a_set_tells_what_may_be_chance() -> None:
    within = checked(measured(opm=985), a_set(980, 1_000, 1_020), "opm < -1 %").judged[0]
    assert within.noise_pct is not None
    assert within.noise_pct > 1.5
    assert "may be chance" in within.sentence
    beyond = checked(measured(opm=500), a_set(980, 1_000, 1_020), "opm < -1 %").judged[0]
    assert beyond.noise_pct == within.noise_pct
    assert "may be chance" not in beyond.sentence
    assert checked(measured(opm=985), measured(), "opm < -1 %").judged[0].noise_pct is None


def test_a_change_needs_a_baseline_and_a_check_a_condition() -> None:
    with pytest.raises(BadInput, match="'opm < -3 %' is about a change; name what to compare with by --against"):
        checked(measured(), None, "opm < -3 %")
    with pytest.raises(BadInput, match="no condition"):
        check(measured(), None, [])


def test_results_of_two_workloads_are_refused() -> None:
    other = Measured(title="run c", workload=WHOLESALE, totals=totals_with(workload=WHOLESALE, nopm=5))
    with pytest.raises(BadInput, match="different workloads, DVD Store 2 and Wholesale"):
        checked(measured(), other, "p95 > +10 %")
