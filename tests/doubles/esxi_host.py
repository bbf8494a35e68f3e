"""An ESXi host behind a real SSH server: what its ``esxtop -b -d 2`` writes, with the columns of a large host.

The rows are those of a recorded file in shape, with figures that are known; the clock is the shell's own.
"""

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[2]
_WORLDS = 1_500
_HOST = r"\\esx1.lab"
_READY = {"1:host": 900.0, "2:system": 5.0, "8:helper": 1.0, "2012:db1": 2.5, "2013:db 2 (old)": 4.0}
_OBJECTS: tuple[tuple[str, tuple[str, ...], dict[str, float]], ...] = (
    ("Memory", ("",), {"Memory Overcommit (1 Minute Avg)": 0.1, "Free MBytes": 1000.0}),
    (
        "Physical Cpu",
        tuple(f"({cpu})" for cpu in (*range(32), "_Total")),
        {"% Processor Time": 40.0, "% Util Time": 37.5, "% Core Util Time": 44.0},
    ),
    (
        "Vcpu",
        tuple(f"({world}:db1:{world}:vmx-vcpu-0)" for world in range(_WORLDS)),
        {"% Used": 1.0, "% Run": 1.0, "% Ready": 1.0, "% Wait": 1.0, "% Idle": 1.0},
    ),
    (
        "Physical Disk Adapter",
        ("(vmhba0)", "(vmhba64)"),
        {
            "Commands/sec": 420.0,
            "Reads/sec": 120.0,
            "Writes/sec": 300.0,
            "MBytes Read/sec": 1.0,
            "MBytes Written/sec": 2.0,
            "Average Driver MilliSec/Command": 0.4,
            "Average Guest MilliSec/Read": 0.7,
            "Average Guest MilliSec/Write": 0.3,
        },
    ),
    (
        "Network Port",
        ("(vSwitch0:33554434:vmnic0)", "(vSwitch0:33554440:db1.eth0)"),
        {"MBits Received/sec": 12.5, "MBits Transmitted/sec": 25.0, "Packets Received/sec": 9.0},
    ),
)


def install(folder: Path, *, pace_seconds: float = 0.02) -> None:
    """Put the program into a folder that is on the PATH there. Rows come at another pace than the one asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "esxtop"
    module = "tests.doubles.esxi_host"
    program.write_text(f'#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m {module} {pace_seconds} "$@"\n')
    program.chmod(0o755)


def columns() -> Iterator[tuple[str, float]]:
    """The path and the value of each column, in esxtop's order of objects."""
    for name, instances, counters in _OBJECTS:
        for instance in instances:
            for counter, value in counters.items():
                yield rf"{_HOST}\{name}{instance}\{counter}", value
    for group, ready in _READY.items():
        for counter, value in {"% Used": 10.0, "% Ready": ready, "% CoStop": 0.0}.items():
            yield rf"{_HOST}\Group Cpu({group})\{counter}", value


def main(pace_seconds: float, arguments: list[str]) -> None:
    assert arguments[:2] == ["-b", "-d"], arguments
    found = list(columns())
    _write(["(PDH-CSV 4.0) (UTC)(0)", *(path for path, _ in found)])
    number = 0
    while True:
        # The first row is of the time since the host was started.
        values = [f"{value if number else 77.0:.2f}" for _, value in found]
        _write([datetime.now(UTC).strftime("%m/%d/%Y %H:%M:%S"), *values])
        number += 1
        time.sleep(pace_seconds)


def _write(cells: list[str]) -> None:
    print(",".join(f'"{cell}"' for cell in cells), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
