import json
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparing.economics import cost_per_headline_rate, money_text
from engine.analysis.comparing.references import (
    Reference,
    find_reference,
    read_references,
    shipped_references,
    typed_reference,
)
from engine.errors import BadInput

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=20).filter(str.strip)
WHOLE = st.none() | st.integers(0, 10**14)
REFERENCES = st.builds(
    Reference,
    name=TEXTS,
    source=TEXTS,
    headline_rate=st.integers(0, 10**14),
    client_headline_rates=st.lists(st.integers(0, 10**9), max_size=4).map(tuple),
    factors=st.dictionaries(TEXTS, TEXTS, max_size=3),
    cost=st.none() | st.decimals(0, 10**9, places=2),
    currency=st.sampled_from(["$", "€", "CHF"]),
    headline_rate_before=WHOLE,
    headline_rate_lowest=WHOLE,
    stabilised_seconds=st.none() | st.floats(0, 1e6),
    back_seconds=st.none() | st.floats(0, 1e6),
    note=st.text(max_size=20),
)
# As printed: OPM, variability and what it was measured with.
R630 = [
    ("20736", "29.1", {"storage": "HDD", "databases": "4", "think_time_ms": "100"}),
    ("24085", "42.8", {"storage": "HDD", "databases": "4", "think_time_ms": "20"}),
    ("186604", "0.6", {"storage": "SSD", "databases": "4", "think_time_ms": "20"}),
    ("242265", "4.2", {"storage": "SSD", "databases": "8", "think_time_ms": "20"}),
]


def test_shipped_r630_references_match_the_publication() -> None:
    found = [each for each in shipped_references() if each.factors.get("server") == "R630"]
    for reference, (opm, variability, factors) in zip(found, R630, strict=True):
        assert reference.headline_rate == sum(reference.client_headline_rates) == int(opm)
        assert f"{reference.variability_pct:.1f}" == variability
        assert reference.factors.items() >= factors.items()
        assert len(reference.client_headline_rates) == int(factors["databases"])
        assert reference.factors.items() >= {"db_size": "40GB", "threads": "32", "minutes": "30"}.items()
        assert "SQL Server 2014" in reference.source


def test_other_shipped_references_match_their_publications() -> None:
    by_name = {each.name: each for each in shipped_references()}
    pulled = by_name["ftServer, 8 vCPUs, enclosure pulled"]
    assert (
        pulled.headline_rate_before,
        pulled.headline_rate_lowest,
        pulled.stabilised_seconds,
        pulled.back_seconds,
    ) == (
        *(76_129, 76_010),
        *(12, 26),
    )
    costs = [each for each in by_name.values() if each.cost is not None]
    assert [
        money_text(cost_per_headline_rate(each.bill(), each.headline_rate), each.currency)
        for each in costs
        if each.bill()
    ] == [
        "$0.45",
        "$0.13",
    ]
    assert [each.headline_rate for each in by_name.values() if "units" in each.factors] == [16_771, 36_833, 59_409]


def test_shipped_references_are_read_only_with_source_and_unique_name() -> None:
    found = shipped_references()
    assert all(each.is_shipped and each.source for each in found)
    assert all(find_reference(found, each.name.upper()) is each for each in found)


@given(REFERENCES)
def test_a_reference_comes_back_from_json(reference: Reference) -> None:
    assert Reference.from_dict(json.loads(json.dumps(reference.to_dict()))) == reference


def test_references_are_read_from_csv_with_factors() -> None:
    text = (
        "Name;Source;OPM;Clients;Cost;Currency;processors;Storage\n"
        'A;our report;;"5,567; 6,055 / 4823 4,291";;;2;\n'
        "B;our report;24,433;;$10,994.88;$;;SSD\n"
    )
    first, second = read_references(text, "own.csv")
    assert first.client_headline_rates == (5_567, 6_055, 4_823, 4_291)
    assert first.total_headline_rate == 20_736
    assert (first.headline_rate, first.factors) == (None, {"processors": "2"})
    assert (second.headline_rate, second.cost, second.factors) == (24_433, Decimal("10994.88"), {"Storage": "SSD"})


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (",s,1,,,", "own.csv, line 2: name of a reference is empty"),
        ("n,,1,,,", "source of a reference is empty; give where it was published"),
        ("n,s,,,,", "reference 'n' has no figure"),
        ("n,s,many,,,", "OPM is 'many'"),
        ("n,s,1,two,,", "OPM of each client is 'two'"),
        ("n,s,1,,dear,", "cost is 'dear'"),
        ("n,s,1,,1,pound", "currency of 'n' is 'pound'"),
    ],
)
def test_invalid_reference_row_is_rejected_with_its_line(row: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read_references(f"name,source,opm,clients,cost,currency\n{row}\n", "own.csv")


def test_reference_figures_out_of_range_are_rejected() -> None:
    reference = typed_reference({"name": "n", "source": "s", "opm": "1", "note": " "}, {})
    assert reference.note == ""
    named = {"headline_rate": "opm", "headline_rate_before": "opm_before", "headline_rate_lowest": "opm_lowest"}
    for name in (*named, "stabilised_seconds", "back_seconds"):
        with pytest.raises(BadInput, match=f"{named.get(name, name)} of reference 'n' is -1"):
            replace(reference, **{name: -1})


def test_a_reference_of_another_workload_names_its_metric() -> None:
    row = "Ours,a paper,wholesale,1000,1200,900,4\n"
    (reference,) = read_references(f"name,source,workload,nopm,nopm_before,nopm_lowest,warehouses\n{row}", "own.csv")
    assert (reference.headline_rate, reference.headline_rate_before, reference.factors) == (
        *(1_000, 1_200),
        {"warehouses": "4"},
    )
    plain = reference.to_dict()
    assert (plain["workload"], plain["nopm"], plain["nopm_lowest"], "opm" in plain) == ("wholesale", 1_000, 900, False)
    assert Reference.from_dict(plain) == reference
    with pytest.raises(BadInput, match="nothing' has no figure; give its nopm, its clients or its nopm_before"):
        typed_reference({"name": "nothing", "source": "s", "workload": "wholesale"}, {})
    with pytest.raises(BadInput, match="workload is 'wholesail'"):
        typed_reference({"name": "n", "source": "s", "workload": "wholesail"}, {})
