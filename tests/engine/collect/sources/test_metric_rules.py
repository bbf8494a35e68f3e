import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.rates import Rates
from engine.collect.sources.metric_rules import MOST_DEVICES, MetricRule, rule_of, rule_values
from engine.errors import BadInput
from engine.telemetry.host import HostValue


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("up", MetricRule(name="up", metric="up")),
        (
            'Commits = rate(pg_stat_database_xact_commit{datname="ds2"}) 1/s',
            MetricRule(
                name="Commits",
                metric="pg_stat_database_xact_commit",
                labels=(("datname", "ds2"),),
                is_rate=True,
                unit="1/s",
            ),
        ),
        ("Power = outlet_kilowatts * 1000", MetricRule(name="Power", metric="outlet_kilowatts", factor=1000, unit="W")),
        (
            'Room temperature={place="rack, 2",unit="c"}'.replace("={", " = celsius{") + " °C",
            MetricRule(
                name="Room temperature", metric="celsius", labels=(("place", "rack, 2"), ("unit", "c")), unit="°C"
            ),
        ),
        ("rate( job:x )*1e-6 MB/s", MetricRule(name="job:x", metric="job:x", is_rate=True, factor=1e-6, unit="MB/s")),
    ],
)
def test_rules(text: str, rule: MetricRule) -> None:
    assert rule_of(text) == rule


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("", "write a rule as Commits = rate"),
        ("rate(up", "write a rule as"),
        ("up)", "write a rule as"),
        ("up{job=db}", 'write labels as {label="value"'),
        ('up{job="db" x}', "write labels as"),
        ("up * 1e", "give a number after the '*'"),
        ("Power = outlet kW", "Power is in W: convert it"),
    ],
)
def test_rules_that_are_none(text: str, remedy: str) -> None:
    with pytest.raises(BadInput) as error:
        rule_of(text)
    assert str(error.value).startswith(f"rules has {text!r}; ")
    assert remedy in str(error.value)


def test_a_value_for_each_set_of_open_labels() -> None:
    rule = rule_of('Power = outlet_watts{unit="a"}')
    samples = [
        ({"outlet": "1", "unit": "a"}, 197.0),
        ({"outlet": "2", "unit": "a"}, 180.5),
        ({"outlet": "1", "unit": "b"}, 5.0),
    ]
    assert rule_values(rule, {"outlet_watts": samples}, Rates(), 0.0) == (
        HostValue("1", "Power", "W", 197.0),
        HostValue("2", "Power", "W", 180.5),
    )


def test_a_rate_is_known_from_the_second_page_on() -> None:
    rule, rates = rule_of("Commits a minute = rate(commits_total) * 60 1/min"), Rates()
    assert rule_values(rule, {"commits_total": [({}, 100.0)]}, rates, 1.0) == ()
    assert rule_values(rule, {"commits_total": [({}, 130.0)]}, rates, 3.0) == (
        HostValue("", "Commits a minute", "1/min", 900.0),
    )
    assert rule_values(rule, {}, rates, 4.0) == ()


def test_devices_are_limited() -> None:
    samples = [({"id": str(number)}, 1.0) for number in range(1000)]
    assert len(rule_values(rule_of("x"), {"x": samples}, Rates(), 0.0)) == MOST_DEVICES


@given(st.text(max_size=60))
def test_any_text_is_a_rule_or_bad_input(text: str) -> None:
    try:
        rule = rule_of(text)
    except BadInput:
        return
    assert rule.metric in text
