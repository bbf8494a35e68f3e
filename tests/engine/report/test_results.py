from decimal import Decimal

import pytest

from engine.analysis.comparing.configuration import Configuration
from engine.analysis.comparing.economics import Item
from engine.analysis.comparing.references import Reference, find_reference, shipped_references
from engine.analysis.host.power import DeviceWatts
from engine.errors import BadInput
from engine.record.record import RunState
from engine.report.results import (
    footer_of,
    plan_factors,
    result_of_reference,
    result_of_run,
    result_of_set,
    with_unique_names,
)
from engine.target.target import Target
from tests.engine.report.reported import a_plan, a_reported_run, a_reported_set

CONFIGURATION = Configuration(
    name="R630 with SSDs",
    items=(Item(name="server", price=Decimal("900.00")),),
    watts=(DeviceWatts(device="server", active_watts=300, idle_watts=100),),
    factors={"processors": "2", "databases": "one"},
)


def test_a_run_brings_its_totals_and_what_its_configuration_says() -> None:
    result = result_of_run(a_reported_run((10, 20), configuration=CONFIGURATION))
    assert (result.name, result.headline_rate, result.configuration) == ("evening load", 1800, "R630 with SSDs")
    assert result.clients == (("ds2 #1", 600), ("ds2 #2", 1200))
    assert result.times_ms["mean"] == 4
    assert result.bill is not None
    assert result.bill.total == Decimal("900.00")
    assert (result.power.active_watts, result.power.headline_rate_per_watt) == (300, 6)
    assert result.factors["processors"] == "2"
    assert result.factors["databases"] == "one"


def test_a_run_without_a_configuration_has_no_bill_and_no_watts() -> None:
    result = result_of_run(a_reported_run())
    assert result.bill is None
    assert result.power.devices == ()
    assert result.named_factors == {}


def test_a_bill_without_items_is_none() -> None:
    assert result_of_run(a_reported_run(configuration=Configuration(name="bare"))).bill is None


def test_a_run_without_a_name_is_called_by_its_id() -> None:
    assert result_of_run(a_reported_run(name="")).name == "20261121-043017-aaaa"


def test_a_set_is_its_median_run_under_its_own_name() -> None:
    runs = [a_reported_run((each,), run_id=f"run-{each}", name=f"run {each}") for each in (30, 10, 20)]
    reported = a_reported_set(runs)
    result = result_of_set(reported)
    assert (result.name, result.headline_rate) == ("SSD, 20 ms", 1200)
    assert result.run is runs[2]
    assert result.run_set is reported


def test_a_set_of_which_no_run_counts_is_refused() -> None:
    failed = a_reported_run(state=RunState.FAILED)
    with pytest.raises(BadInput, match="'SSD, 20 ms' has no run that counts"):
        result_of_set(a_reported_set([failed]))


def test_a_published_result_is_as_it_was_printed() -> None:
    reference = find_reference(shipped_references(), "R630, 4 databases, HDD, 20 ms")
    assert reference is not None
    result = result_of_reference(reference)
    assert result.headline_rate == 24085
    assert [opm for _, opm in result.clients] == [4719, 7376, 7628, 4362]
    assert result.factors["storage"] == "HDD"
    assert result.source.startswith("Published")
    assert set(result.times_ms.values()) == {None}


def test_a_published_failover_counts_by_its_opm_before() -> None:
    result = result_of_reference(
        Reference(name="failover", source="a test", headline_rate_before=76129, headline_rate_lowest=76010)
    )
    assert result.headline_rate == 76129


def test_the_factors_of_a_plan() -> None:
    plan = a_plan(targets=(Target(kind="embedded"),), databases=4, clients=2, threads=8, think_time_ms=0.5)
    assert plan_factors(plan, 8) == {
        "databases": "4",
        "clients": "8",
        "users": "64",
        "think_time_ms": "0.5",
        "db_size": "100MB",
    }


def test_a_plan_of_any_size_has_no_size_to_compare_by() -> None:
    assert "db_size" not in plan_factors(a_plan(parameters={}), 2)


def test_results_of_one_name_are_distinguished_by_their_ids() -> None:
    runs = [a_reported_run(run_id=run_id) for run_id in ("run-a", "run-b")]
    other = a_reported_run(name="another", run_id="run-c")
    names = [result.name for result in with_unique_names([result_of_run(run) for run in (*runs, other)])]
    assert names == ["evening load (run-a)", "evening load (run-b)", "another"]


def test_a_footer_has_room_for_three_ids() -> None:
    assert footer_of([]) == ""
    assert footer_of(["a", "b", "c"]) == "a, b, c"
    assert footer_of(["a", "b", "c", "d"]) == "a, b, c …"
