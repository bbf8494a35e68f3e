"""Texts of /proc as kernels write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.disk_names import is_disk
from engine.collect.host_counters import CpuTimes, DiskCounts, InterfaceCounts, MemoryState
from engine.collect.proc_files import cpu_times, disk_counts, interface_counts, memory_state, pressure_total_us

DISKSTATS = """\
   7       0 loop0 12 0 24 1 0 0 0 0 0 1 1 0 0 0 0 0 0
   8       0 sda 1290 12 51202 811 4410 300 200100 5120 0 4000 6031 10 0 80 5 20 95
   8       1 sda1 1000 10 40000 700 4000 290 190000 5000 0 3900 5700 0 0 0 0
 259       0 nvme0n1 10 0 80 4 20 0 160 7 1 11 12
 259       1 nvme0n1p1 10 0 80 4 20 0 160 7 1 11 12
 253       0 dm-0 5 0 40 3 6 0 48 4 0 7 8
   8       2 sda2 77 88 99
 252       0 zram0 15 0 400 0 3 0 24 0 0 8 0 0 0 0 0 0 0
"""
NET_DEV = """\
Inter-|   Receive                                 |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes  packets errs drop fifo colls carrier compressed
    lo:  401992    4091    0    0    0     0       0    0   401992    4091    0    0    0     0       0          0
  eth0:123456789 1000    0    0    0     0       0    0 987654321     900    0    0    0     0       0          0
eth0:1: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0
"""
MEMINFO = """\
MemTotal:        8000000 kB
MemFree:          500000 kB
MemAvailable:    3000000 kB
Buffers:          100000 kB
Cached:          2000000 kB
SwapTotal:       1000000 kB
SwapFree:         750000 kB
HugePages_Total:       0
"""


def test_processors() -> None:
    line = "cpu  4705 356 584 3699 23 0 7 11 100 20"
    assert cpu_times(line) == CpuTimes(4705 + 356 + 584 + 3699 + 23 + 7 + 11, 3699, 23, 11)
    assert cpu_times("cpu 10 0 5 85") == CpuTimes(100, 85, None, None)
    assert cpu_times("cpu0 1 2 3 4") is None
    assert cpu_times("cpu a b c d") is None


def test_whole_disks_with_the_kernels_list_of_them() -> None:
    found = disk_counts(DISKSTATS.splitlines(), {"sda", "nvme0n1", "dm-0", "loop0", "zram0"})
    assert found == {
        "sda": DiskCounts(1290, 4410, 51202 * 512, 200100 * 512, 811, 5120, 4000, 6031),
        "nvme0n1": DiskCounts(10, 20, 80 * 512, 160 * 512, 4, 7, 11, 12),
        "dm-0": DiskCounts(5, 6, 40 * 512, 48 * 512, 3, 4, 7, 8),
    }


def test_without_that_list_partitions_are_known_by_their_names() -> None:
    assert set(disk_counts(DISKSTATS.splitlines())) == {"sda", "nvme0n1", "dm-0"}
    assert not any(map(is_disk, ("vda1", "xvdb15", "mmcblk0p2", "md127p1", "hda3", "sr0", "ram1")))
    assert all(map(is_disk, ("vda", "xvdb", "mmcblk0", "md127", "dm-3", "sdaa")))
    assert is_disk("cciss/c0d0", {"cciss!c0d0"})


def test_interfaces() -> None:
    assert interface_counts(NET_DEV.splitlines(), {"eth0": 1000.0}) == {
        "lo": InterfaceCounts(401992, 401992),
        "eth0": InterfaceCounts(123456789, 987654321, 1000),
        "eth0:1": InterfaceCounts(5, 6),
    }


def test_memory() -> None:
    assert memory_state(MEMINFO.splitlines()) == MemoryState(8e6 * 1024, 3e6 * 1024, 250_000 * 1024)


def test_memory_before_linux_3_14_is_what_is_free_or_a_cache() -> None:
    lines = [line for line in MEMINFO.splitlines() if not line.startswith(("MemAvailable", "Swap"))]
    assert memory_state(lines) == MemoryState(8e6 * 1024, 2.6e6 * 1024, None)
    assert memory_state([]) is None


@pytest.mark.parametrize("page_bytes", [4096, 16384, 65536])
def test_what_is_swapped_is_in_pages_whose_size_the_free_memory_tells(page_bytes: int) -> None:
    free_pages = 500_000 * 1024 // page_bytes
    for pages in (free_pages - free_pages // 10, free_pages + free_pages // 10):  # the files are read one by one
        vmstat = [f"nr_free_pages {pages}", "pswpin 3", "pswpout 40"]
        state = memory_state([*MEMINFO.splitlines(), *vmstat])
        assert state is not None
        assert (state.swapped_in_bytes, state.swapped_out_bytes) == (3 * page_bytes, 40 * page_bytes)


def test_a_kernel_without_swap_says_nothing_of_swapping() -> None:
    state = memory_state([*MEMINFO.splitlines(), "nr_free_pages 125000"])
    assert state is not None
    assert state.swapped_in_bytes is None


def test_pressure() -> None:
    text = (
        "some avg10=57.25 avg60=56.85 avg300=50.84 total=18429097313\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
    )
    assert pressure_total_us(text) == 18429097313
    assert pressure_total_us("") is None


@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_text_is_read_without_an_error(lines: list[str]) -> None:
    disk_counts(lines)
    interface_counts(lines, {})
    memory_state(lines)
    pressure_total_us("\n".join(lines))
    for line in lines:
        cpu_times(line)
