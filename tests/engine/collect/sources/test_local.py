"""This workstation, read for real."""

import threading

from engine.collect.clock import utc_now
from engine.collect.sources.local import LocalSource


def test_this_workstation_is_read() -> None:
    stop = threading.Event()
    readings = []
    for reading in LocalSource(interval_seconds=0.1).readings(stop):
        readings.append(reading)
        if len(readings) == 3:
            stop.set()
    assert len(readings) == 3
    found = {(value.device, value.name): value for value in readings[-1].values}
    assert 0 <= found["", "CPU"].value <= 100
    assert 0 < found["", "Memory used"].value <= 100
    assert not any(device.startswith(("loop", "ram")) for device, _ in found)
    assert readings[-1].source_utc_seconds is None
    assert abs(readings[-1].here_utc_seconds - utc_now()) < 60
