"""Watts in sum and for each order: nothing is made of what is not known."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.host.power import DeviceWatts, power_change, power_figures
from engine.errors import BadInput

WATTS = st.none() | st.floats(0, 1e5)
DEVICES = st.lists(
    st.builds(DeviceWatts, device=st.sampled_from("abcdef"), active_watts=WATTS, idle_watts=WATTS),
    unique_by=lambda each: each.device,
)
SERVER = DeviceWatts(device="server", active_watts=350.5, idle_watts=150)
STORAGE = DeviceWatts(device="storage", active_watts=149.5, idle_watts=100)


def test_power_figures_sum_devices_and_compute_opm_per_watt() -> None:
    figures = power_figures([SERVER, STORAGE], 186_604)
    assert (figures.active_watts, figures.idle_watts) == (500, 250)
    assert f"{figures.headline_rate_per_watt:.1f}" == "373.2"
    assert figures.sentence == ""


def test_a_device_of_unknown_watts_leaves_the_sum_unknown_and_is_named() -> None:
    figures = power_figures([SERVER, DeviceWatts(device="storage", idle_watts=9)], 100)
    assert (figures.active_watts, figures.idle_watts, figures.headline_rate_per_watt) == (None, 159, None)
    assert figures.sentence == "Not known: active watts of storage."


@pytest.mark.parametrize("opm", [None, 0])
def test_power_figures_without_opm(opm: int | None) -> None:
    assert power_figures([SERVER], opm).headline_rate_per_watt == opm


def test_power_figures_without_devices() -> None:
    assert power_figures([DeviceWatts(device="off", active_watts=0)], 5).headline_rate_per_watt is None
    assert power_figures([], 5).sentence == "No watts are known."


def test_configurations_differ_in_sum_and_device_by_device() -> None:
    new = DeviceWatts(device="server", active_watts=701)
    change = power_change(power_figures([new], 402_000), power_figures([SERVER, STORAGE], 201_000))
    assert change.active.absolute == 201
    assert change.idle.percent is None
    assert change.headline_rate_per_watt.percent == pytest.approx(100 * (402_000 / 701 / 402 - 1))
    assert [(each.device, each.active.times) for each in change.devices] == [("server", 2)]


@pytest.mark.parametrize("watts", [-1, float("nan"), float("inf")])
def test_invalid_watts_are_rejected(watts: float) -> None:
    with pytest.raises(BadInput, match="the idle watts of 'server' are"):
        DeviceWatts(device="server", idle_watts=watts)


def test_duplicate_device_names_are_rejected() -> None:
    with pytest.raises(BadInput, match="device 'server' has watts 2 times"):
        power_figures([SERVER, SERVER], 1)
    with pytest.raises(BadInput, match="no name"):
        DeviceWatts(device=" ")


@given(DEVICES, st.none() | st.integers(0, 10**7), st.randoms())
def test_the_order_of_the_devices_is_no_matter(devices: list[DeviceWatts], opm: int | None, random: Random) -> None:
    one, other = power_figures(devices, opm), power_figures(random.sample(devices, len(devices)), opm)
    assert one.active_watts == other.active_watts
    assert one.headline_rate_per_watt == other.headline_rate_per_watt
    assert (one.active_watts is None) is (not devices or bool(one.unknown_active))
