"""Figures between two moments of a system's counters: their arithmetic, wrap-around, resets, and what is missing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.host_counters import (
    CpuTimes,
    DiskCounts,
    HostCounters,
    InterfaceCounts,
    MemoryState,
    increase,
    values_between,
)

DISK = DiskCounts(
    reads=1000, writes=500, read_bytes=8e6, write_bytes=4e6, read_ms=900, write_ms=300, busy_ms=4000, queued_ms=9000
)


def figures(before: HostCounters, now: HostCounters) -> dict[tuple[str, str], float]:
    return {(value.device, value.name): value.value for value in values_between(before, now)}


def two(before: dict[str, Any], now: dict[str, Any], seconds: float = 1.0) -> dict[tuple[str, str], float]:
    return figures(HostCounters(at_seconds=100.0, **before), HostCounters(at_seconds=100.0 + seconds, **now))


def test_processors() -> None:
    found = two({"cpu": CpuTimes(1000, 800, 50, 2)}, {"cpu": CpuTimes(1400, 1000, 100, 12)})
    assert found == {("", "CPU"): 37.5, ("", "CPU I/O wait"): 12.5, ("", "CPU steal"): 2.5}


def test_idle_time_that_goes_back_is_no_use_above_all() -> None:
    found = two({"cpu": CpuTimes(1000, 800, 50)}, {"cpu": CpuTimes(1400, 799, 40)})
    assert found == {("", "CPU"): 100.0, ("", "CPU I/O wait"): 0.0}


def test_a_disk() -> None:
    now = DiskCounts(
        reads=1200,
        writes=700,
        read_bytes=18e6,
        write_bytes=6e6,
        read_ms=1300,
        write_ms=1300,
        busy_ms=5000,
        queued_ms=15000,
    )
    assert two({"disks": {"sda": DISK}}, {"disks": {"sda": now}}, seconds=2.0) == {
        ("sda", "Disk reads"): 100,
        ("sda", "Disk writes"): 100,
        ("sda", "Disk transfers"): 200,
        ("sda", "Disk read throughput"): 5.0,
        ("sda", "Disk write throughput"): 1.0,
        ("sda", "Disk utilisation"): 50.0,
        ("sda", "Disk read latency"): 2.0,
        ("sda", "Disk write latency"): 5.0,
        ("sda", "Disk queue"): 3.0,
    }


def test_latency_without_operations_is_unknown() -> None:
    found = two({"disks": {"sda": DISK}}, {"disks": {"sda": DISK}})
    assert found["sda", "Disk reads"] == 0
    assert ("sda", "Disk read latency") not in found


def test_devices_come_and_go_and_those_that_were_never_used_are_left_out() -> None:
    unused = DiskCounts(0, 0, 0, 0, 0, 0, 0, 0)
    found = two(
        {"disks": {"sda": DISK, "sdb": DISK, "sr0": unused}}, {"disks": {"sdb": DISK, "sdc": DISK, "sr0": unused}}
    )
    assert {device for device, _ in found} == {"sdb"}


def test_interfaces_memory_and_pressure() -> None:
    found = two(
        {"interfaces": {"eth0": InterfaceCounts(0, 0)}, "pressure_us": {"io": 1e6, "cpu": 5e6}},
        {
            "interfaces": {"eth0": InterfaceCounts(2.5e6, 1.25e6)},
            "memory": MemoryState(total_bytes=8e9, available_bytes=2e9, swap_used_bytes=1e8),
            "pressure_us": {"io": 1.5e6, "cpu": 1.0},
        },
        seconds=2.0,
    )
    assert found == {
        ("eth0", "Network received"): 10.0,
        ("eth0", "Network sent"): 5.0,
        ("", "Memory used"): 75.0,
        ("", "Memory available"): 2000.0,
        ("", "Swap used"): 100.0,
        ("", "I/O pressure"): 25.0,
    }


def test_swapping_and_the_speed_of_links() -> None:
    before = HostCounters(
        at_seconds=10,
        interfaces={"eth0": InterfaceCounts(0, 0, 1_000.0), "eth1": InterfaceCounts(0, 0, 10_000.0)},
        memory=MemoryState(8e9, 4e9, 1e9, 2e6, 5e6),
    )
    now = HostCounters(
        at_seconds=12,
        interfaces={"eth0": InterfaceCounts(250_000, 0, 1_000.0), "eth1": InterfaceCounts(0, 0, 10_000.0)},
        memory=MemoryState(8e9, 4e9, 1e9, 6e6, 5e6),
    )
    values = {(each.name, each.device): each.value for each in values_between(before, now)}
    assert values["Swapped in", ""] == 2.0
    assert values["Swapped out", ""] == 0.0
    assert values["Network received", "eth0"] == 1.0
    assert values["Network speed", "eth0"] == 1_000.0
    assert ("Network speed", "eth1") not in values  # it was never used


@pytest.mark.parametrize("seconds", [0.0, -5.0], ids=["no time", "restarted"])
def test_nothing_is_known_when_no_time_is_between(seconds: float) -> None:
    assert two({"disks": {"sda": DISK}}, {"disks": {"sda": DISK}}, seconds=seconds) == {}


@given(before=st.integers(0, 2**32 - 1), more=st.integers(0, 10**6))
def test_an_increase_is_known_across_a_wrap_at_32_bits(before: int, more: int) -> None:
    assert increase(before, (before + more) % 2**32, most=10**6) == more


@given(before=st.integers(2**31, 2**63), now=st.integers(0, 10**6))
def test_a_counter_that_was_reset_is_unknown(before: int, now: int) -> None:
    found = increase(before, now, most=10**6)
    assert found is None or (0 <= found <= 10**6 and (before + found) % 2**32 == now)


counts = st.one_of(st.integers(0, 2**33), st.integers(0, 100)).map(float)
optional = st.none() | counts
disks = st.dictionaries(
    st.sampled_from(["sda", "sdb", "nvme0n1"]),
    st.builds(DiskCounts, counts, counts, counts, counts, optional, optional, optional, optional),
)
cpus = st.none() | st.builds(CpuTimes, counts, counts, optional, optional)
interfaces = st.dictionaries(st.sampled_from(["eth0", "eth1"]), st.builds(InterfaceCounts, counts, counts))


@given(
    before=st.fixed_dictionaries({"cpu": cpus, "disks": disks, "interfaces": interfaces}),
    now=st.fixed_dictionaries({"cpu": cpus, "disks": disks, "interfaces": interfaces}),
    seconds=st.floats(0.01, 60),
)
def test_whatever_counters_do_no_figure_is_impossible(
    before: dict[str, Any], now: dict[str, Any], seconds: float
) -> None:
    values = values_between(HostCounters(at_seconds=0.0, **before), HostCounters(at_seconds=seconds, **now))
    assert all(value.value >= 0 for value in values)
    assert all(value.value <= 100 for value in values if value.unit == "%")
    assert len({(value.device, value.name) for value in values}) == len(values)
