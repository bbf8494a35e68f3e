"""When data arrives over simulated networks: with delay, with little bandwidth, silent, or cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lab.network import Conditions, Network, Route

SIZES = st.lists(st.integers(1, 100_000), min_size=1, max_size=20)


def test_normal_network_has_no_delay() -> None:
    assert Network().arrival(12.5, 1_000, inward=True) == 12.5
    assert Conditions().is_normal
    assert Conditions().in_words() == "normal"


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (Conditions(is_cut=True), "cut"),
        (Conditions(is_silent=True), "silent"),
        (Conditions().delayed(0.005).limited(1_250_000), "5 ms more per round trip, 10 Mbit/s"),
    ],
)
def test_conditions_in_words(conditions: Conditions, words: str) -> None:
    assert conditions.in_words() == words
    assert not conditions.is_normal


@given(sizes=SIZES, rate=st.floats(1_000, 1e7))
def test_burst_is_delivered_at_the_line_rate(sizes: list[int], rate: float) -> None:
    network = Network(Conditions().limited(rate))
    arrivals = [network.arrival(100.0, size, inward=True) for size in sizes]
    assert arrivals == sorted(arrivals)
    assert arrivals[-1] == pytest.approx(100.0 + sum(sizes) / rate)


def test_each_way_is_a_line_of_its_own() -> None:
    network = Network(Conditions().limited(1_000))
    assert network.arrival(0.0, 5_000, inward=True) == pytest.approx(5.0)
    assert network.arrival(0.0, 1_000, inward=False) == pytest.approx(1.0)


@given(here=st.floats(0, 1), there=st.floats(0, 1))
def test_round_trip_over_two_networks_has_both_delays(here: float, there: float) -> None:
    route = Route(((Network(Conditions().delayed(here)), False), (Network(Conditions().delayed(there)), True)))
    arrived = route.arrival(10.0, 1, forward=True)
    assert route.arrival(arrived, 1, forward=False) == pytest.approx(10.0 + here + there)


def test_a_route_is_as_bad_as_its_worst_network() -> None:
    well, silent, cut = Network(), Network(Conditions(is_silent=True)), Network(Conditions(is_cut=True))
    assert Route(((well, True),)).is_normal
    both = Route(((well, False), (silent, True)))
    assert (both.is_silent, both.is_cut, both.is_normal) == (True, False, False)
    assert Route(((cut, False), (well, True))).is_cut


def test_the_way_back_over_a_standbys_uplink_is_inward_for_the_standby() -> None:
    standby = Network(Conditions().limited(1_000))
    route = Route(((standby, False), (Network(), True)))
    assert route.arrival(0.0, 2_000, forward=False) == pytest.approx(2.0)
    assert standby.arrival(0.0, 1_000, inward=True) == pytest.approx(3.0), "the line to the standby was busy"
    assert standby.arrival(0.0, 1_000, inward=False) == pytest.approx(1.0), "the line from it was free"
