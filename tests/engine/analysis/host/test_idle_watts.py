import pytest

from engine.analysis.host.idle_watts import IdleWatts, idle_sentence, together, total_watts, with_idle_watts
from engine.analysis.host.power import DeviceWatts

SERVER = IdleWatts.of("server", "Extech 380803", [180.0, 181.0, 182.0], is_average=False)
STORAGE = IdleWatts.of("Storage", "Redfish", [189.5], is_average=True)


def test_mean_and_spread() -> None:
    assert (SERVER.mean_watts, SERVER.lowest_watts, SERVER.highest_watts) == (181.0, 180.0, 182.0)
    assert (SERVER.deviation_watts, SERVER.readings) == (pytest.approx(1.0), 3)
    assert (STORAGE.deviation_watts, STORAGE.readings) == (0.0, 1)


def test_the_sentence_has_the_sum_of_several_devices() -> None:
    assert total_watts((SERVER, STORAGE)) == 370.5
    assert idle_sentence((SERVER, STORAGE)) == "Idle: server 181.0 W, Storage 189.5 W; together 370.5 W."
    assert idle_sentence((SERVER,)) == "Idle: server 181.0 W."


def test_meters_of_one_device_are_added_up() -> None:
    assert together([SERVER]) is SERVER
    both = together([SERVER, IdleWatts.of("server", "Extech 380803", [10.0, 12.0], is_average=False)])
    assert (both.device, both.mean_watts, both.lowest_watts, both.highest_watts) == ("server", 192.0, 190.0, 194.0)
    assert both.readings == 2
    assert both.deviation_watts == pytest.approx((1 + 2) ** 0.5)


def test_a_configuration_keeps_its_devices_and_their_active_watts() -> None:
    typed = (
        DeviceWatts(device="storage", active_watts=200.0, idle_watts=1.0),
        DeviceWatts(device="switch", idle_watts=9.0),
    )
    assert with_idle_watts(typed, (SERVER, STORAGE)) == (
        DeviceWatts(device="storage", active_watts=200.0, idle_watts=189.5),
        DeviceWatts(device="switch", idle_watts=9.0),
        DeviceWatts(device="server", idle_watts=181.0),
    )
