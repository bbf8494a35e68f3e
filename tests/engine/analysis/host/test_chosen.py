"""Which devices are shown: the busiest, until another is clearly busier; or the chosen one."""

import math

from engine.analysis.host.chosen import DeviceKind, DevicesInUse, MachineDevice, ShownCounter
from engine.telemetry.host_figure import HostFigure

DISK, INTERFACE = MachineDevice("db1", DeviceKind.DISK), MachineDevice("db1", DeviceKind.INTERFACE)


def a_counter(
    figure: HostFigure, mean: float = 1.0, device: str = "", machine: str = "db1", reader: int = 1
) -> ShownCounter:
    key = (reader, device, figure.value)
    return ShownCounter(key=key, reader=reader, machine=machine, device=device, name=figure.value, mean=mean)


def disks(**uses: float) -> list[ShownCounter]:
    return [a_counter(HostFigure.DISK_UTILISATION, use, name) for name, use in uses.items()]


def first(*counters: ShownCounter) -> set[object]:
    devices = DevicesInUse()
    devices.update(counters)
    return set(devices.first(counters))


def test_the_busiest_disk_is_shown_on_both_charts() -> None:
    transfers = [a_counter(HostFigure.DISK_TRANSFERS, 900, "sda"), a_counter(HostFigure.DISK_TRANSFERS, 10, "sdb")]
    shown = first(*disks(sda=10, sdb=90), *transfers)
    assert shown == {(1, "sdb", "Disk utilisation"), (1, "sdb", "Disk transfers")}


def test_a_disk_of_unknown_utilisation_is_as_busy_as_its_operations() -> None:
    operations = [a_counter(HostFigure.DISK_READS, 900, "C:"), a_counter(HostFigure.DISK_READS, 10, "D:")]
    assert first(*operations) == {(1, "C:", "Disk reads")}


def test_another_device_takes_its_place_when_it_is_clearly_busier() -> None:
    devices = DevicesInUse()
    devices.update(disks(sda=math.nan, sdb=40))
    devices.update(disks(sda=45, sdb=40))
    assert devices.shown(DISK) == "sdb"
    devices.update(disks(sda=60, sdb=40))
    assert devices.shown(DISK) == "sda"


def test_the_chosen_device_is_shown_while_the_machine_has_it() -> None:
    devices = DevicesInUse({DISK: "sda"})
    devices.update(disks(sda=1, sdb=40))
    assert devices.shown(DISK) == "sda"
    assert devices.busiest(DISK) == "sdb"
    devices.update(disks(sdb=40, sdc=41))
    assert devices.shown(DISK) == "sdb"


def test_a_sum_stands_for_its_parts() -> None:
    whole = a_counter(HostFigure.NETWORK, 3, "eth0")
    parts = [a_counter(HostFigure.NETWORK_RECEIVED, 1, "eth0"), a_counter(HostFigure.NETWORK_SENT, 2, "eth0")]
    assert first(whole, *parts) == {whole.key}
    assert first(*parts) == {each.key for each in parts}


def test_every_reader_of_a_machine_is_shown_with_the_same_device_if_it_knows_it() -> None:
    own, other = a_counter(HostFigure.CPU, reader=1), a_counter(HostFigure.CPU, reader=2)
    elsewhere = a_counter(HostFigure.CPU, reader=3, machine="db2")
    assert first(other, own, elsewhere) == {own.key, other.key, elsewhere.key}
    busy = [
        a_counter(HostFigure.DISK_UTILISATION, use, name, reader=reader)
        for reader, uses in ((1, {"sda": 80, "sdb": 70}), (2, {"sda": 75, "sdb": 76}), (3, {"C:": 9, "D:": 5}))
        for name, use in uses.items()
    ]
    assert first(*busy) == {(reader, name, "Disk utilisation") for reader, name in ((1, "sda"), (2, "sda"), (3, "C:"))}


def test_all_channels_of_a_meter_and_no_single_processor_are_shown() -> None:
    channels = [a_counter(HostFigure.POWER, 300, "server"), a_counter(HostFigure.POWER, 80, "storage")]
    processor = a_counter(HostFigure.CPU, 90, "3")
    assert first(*channels, processor) == {each.key for each in channels}
