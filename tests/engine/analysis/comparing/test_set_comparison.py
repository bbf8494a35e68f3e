"""Clients beside their likes: by label, wherever they stand."""

from engine.analysis.comparing.set_comparison import compare_clients
from tests.doubles.samples import OPM
from tests.engine.analysis.published_rows import totals_of
from tests.totals import totals_with


def test_clients_are_compared_by_their_labels() -> None:
    base, other = totals_of({"a": 100, "b": 200, "c": 5}), totals_of({"b": 300, "a": 50})
    compared = compare_clients(OPM, [base, other])
    assert [client.label for client in compared.clients] == ["a", "b"]
    assert [client.figure("headline running").percent for client in compared.clients] == [(0, -50), (0, 50)]
    assert [client.figure("headline running").times for client in compared.clients] == [(1, 0.5), (1, 1.5)]
    assert compared.unmatched == ("c",)


def test_the_baseline_decides_the_order_and_the_base() -> None:
    compared = compare_clients(OPM, [totals_of({"a": 100, "b": 200}), totals_of({"b": 400, "a": 50})], baseline=1)
    assert [client.label for client in compared.clients] == ["b", "a"]
    assert compared.clients[0].figure("headline running").absolute == (-200, 0)


def test_a_label_that_a_run_has_twice_matches_nothing() -> None:
    twice = totals_with(clients=[{"label": "a", "opm": 1}, {"label": "a", "opm": 2}])
    assert compare_clients(OPM, [twice, totals_of({"a": 5})]).unmatched == ("a",)


def test_a_run_without_totals_matches_nothing() -> None:
    compared = compare_clients(OPM, [totals_of({"a": 5}), None])
    assert compared.clients == ()
    assert compared.unmatched == ("a",)
