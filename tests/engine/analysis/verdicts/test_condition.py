"""Conditions as they are typed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.verdicts.comparison import Comparison, parse_comparison
from engine.analysis.verdicts.condition import parse_condition
from engine.analysis.verdicts.figures import checked_figures
from engine.errors import BadInput
from engine.workload.registry import DVD_STORE, WHOLESALE


@pytest.mark.parametrize(
    ("text", "figure", "limit", "is_change", "is_relative"),
    [
        ("opm < -3 %", "opm", -3.0, True, True),
        ("OPM<−3%", "opm", -3.0, True, True),
        ("opm < 0 %", "opm", 0.0, True, True),
        ("p95 > +10 %", "p95", 10.0, True, True),
        ("p95 >= 20 ms", "p95", 20.0, False, False),
        ("p95 > 0.5 s", "p95", 500.0, False, False),
        ("recovery > 1500 ms", "recovery", 1.5, False, False),
        ("p99 > +5", "p99", 5.0, True, False),
        ("opm < 25,000", "opm", 25_000.0, False, False),
        ("lost > 0", "lost", 0.0, False, False),
        ("variability_pct > 5 %", "variability_pct", 5.0, False, False),
        ("variability_pct > +5 %", "variability_pct", 5.0, True, True),
        ("browse.p95 <= .5 ms", "browse.p95", 0.5, False, False),
        ("p95_ms > 20", "p95", 20.0, False, False),
        ("browse.p95_ms > 2e1", "browse.p95", 20.0, False, False),
        ("opm_per_target < 25,000", "opm_per_target", 25_000.0, False, False),
        ("error_pct > 1 %", "error_pct", 1.0, False, False),
    ],
)
def test_a_sign_makes_a_change_and_a_per_cent_sign_a_relative_one(
    text: str, figure: str, limit: float, is_change: bool, is_relative: bool
) -> None:
    condition = parse_condition(text, DVD_STORE)
    assert (condition.figure.name, condition.limit) == (figure, limit)
    assert (condition.is_change, condition.is_relative) == (is_change, is_relative)


def test_figures_are_those_of_the_workload() -> None:
    assert parse_condition("nopm < -3 %", WHOLESALE).figure.label == "NOPM"
    assert parse_condition("payment.p90 > 5 s", WHOLESALE).limit == 5_000
    with pytest.raises(BadInput, match="'opm' is not known for Wholesale; did you mean 'nopm'"):
        parse_condition("opm < -3 %", WHOLESALE)


def test_a_step_that_is_named_as_in_tables_is_refused_with_its_name() -> None:
    with pytest.raises(BadInput, match=r"'log-in.p95' is not known for DVD Store 2; did you mean 'login.p95'"):
        parse_condition("log-in.p95 > 20", DVD_STORE)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("", "write a figure"),
        ("opm", "write a figure"),
        ("opm == 3", "write a figure"),
        ("opm < three", "write a figure"),
        ("opm < 25,00", "write a figure"),
        ("opm < 1e999", "write a figure"),
        ("opm < 97 %", "write +97 % or -97 %"),
        ("opm < 5 ms", "give the limit of opm without a unit"),
        ("recovery > 5 ms ms", "write a figure"),
        ("errorz > 3", "did you mean 'errors'"),
        ("xyz > 3", "choose one of opm, opm_per_target, orders, mean"),
    ],
)
def test_what_is_no_condition_is_refused_with_a_remedy(text: str, remedy: str) -> None:
    with pytest.raises(BadInput, match=re.escape(remedy)):
        parse_condition(text, DVD_STORE)


@given(
    st.sampled_from([*checked_figures(DVD_STORE), "p95_ms"]),
    st.sampled_from(["<", "<=", ">", ">="]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "ms", "s", "%"]),
    st.booleans(),
)
def test_a_comparison_reads_back_from_its_text(
    figure: str, sign: str, limit: float, unit: str, is_change: bool
) -> None:
    limit = limit if is_change else abs(limit)
    typed = Comparison(figure=figure, sign=sign, limit=limit, unit=unit, is_change=is_change)
    assert parse_comparison(typed.text, "hold", "p95 <= 20 ms") == typed


@given(st.sampled_from(["<", "<=", ">", ">="]), st.integers(-999, 999), st.integers(-999, 999))
def test_a_condition_holds_as_its_comparison_does(comparison: str, limit: int, value: int) -> None:
    condition = parse_condition(f"opm {comparison} {limit:+d} %", DVD_STORE)
    holds = {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}
    assert condition.holds(value) is holds[comparison]
