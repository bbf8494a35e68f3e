"""A Windows host behind a real SSH server: a program ``powershell`` that answers Spindle's two scripts.

There is no PowerShell here, so the scripts themselves are not run: they are decoded, what they ask typeperf for is
taken from them, and rows are played as typeperf writes them on a German system, in its language, its code page and its
local time. The other script is asked for the clock, which is ahead of ours.
"""

import base64
import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[2]
ZONE_MINUTES = 60
INSTANCES = {
    "Processor Information": ["_Total"],
    "PhysicalDisk": ["0 C:", "1 D:", "_Total"],
    "Network Interface": ["Intel[R] Ethernet Adapter _2"],
}
GERMAN = {
    "Processor Information": "Prozessorinformationen",
    "% Processor Time": "Prozessorzeit (%)",
    "PhysicalDisk": "Physikalischer Datenträger",
    "Disk Reads/sec": "Lesevorgänge/s",
    "Disk Writes/sec": "Schreibvorgänge/s",
    "Disk Transfers/sec": "Übertragungen/s",
    "% Idle Time": "Leerlaufzeit (%)",
    "Avg. Disk sec/Read": "Mittlere Sek./Lesevorgänge",
    "Avg. Disk sec/Write": "Mittlere Sek./Schreibvorgänge",
    "Disk Read Bytes/sec": "Bytes gelesen/s",
    "Disk Write Bytes/sec": "Bytes geschrieben/s",
    "Avg. Disk Queue Length": "Durchschnittl. Warteschlangenlänge des Datenträgers",
    "Network Interface": "Netzwerkschnittstelle",
    "Bytes Received/sec": "Empfangene Bytes/s",
    "Bytes Sent/sec": "Bytes gesendet/s",
    "Current Bandwidth": "Aktuelle Bandbreite",
    "Memory": "Arbeitsspeicher",
    "Available MBytes": "Verfügbare MB",
}
VALUES = {
    "% Processor Time": 37.5,
    "Disk Reads/sec": 120.0,
    "Disk Writes/sec": 300.5,
    "Disk Transfers/sec": 420.5,
    "% Idle Time": 25.0,
    "Avg. Disk sec/Read": 0.004,
    "Avg. Disk sec/Write": 0.0005,
    "Disk Read Bytes/sec": 8e6,
    "Disk Write Bytes/sec": 2e6,
    "Avg. Disk Queue Length": 2.25,
    "Bytes Received/sec": 125_000.0,
    "Bytes Sent/sec": 250_000.0,
    "Current Bandwidth": 1e9,
    "Available MBytes": 1000.0,
}


def install(folder: Path, *, pace_seconds: float = 0.02, ahead_seconds: float = 90.0) -> None:
    """Put the program into a folder that is on the PATH there. Rows come at another pace than the one asked for."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "powershell"
    options = f"{pace_seconds} {ahead_seconds}"
    module = "tests.doubles.windows_host"
    program.write_text(f'#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m {module} {options} "$@"\n')
    program.chmod(0o755)


def main(pace_seconds: float, ahead_seconds: float, arguments: list[str]) -> None:
    flags, encoded = arguments[:-1], arguments[-1]
    assert flags[-1] == "-EncodedCommand", flags
    script = base64.b64decode(encoded).decode("utf-16-le")
    if "ReadLine" in script:
        for _ in sys.stdin:
            print(f"{time.monotonic() + _utc_at_zero() + ahead_seconds:.4f}", flush=True)
        return
    paths = [tuple(path.split("|")) for path in re.findall(r"'([^'|\n]+\|[^'|\n]*\|[^'|\n]+)'[,)]", script)]
    print(f"zone={ZONE_MINUTES}", flush=True)
    for name, local in GERMAN.items():
        print(f"name={name}|{local}")
    print("end=\n", flush=True)
    _play(list(_columns(paths)), pace_seconds, ahead_seconds)


def _columns(paths: list[tuple[str, ...]]) -> Iterator[tuple[str, str, str]]:
    for object_name, instances, counter in paths:
        for instance in INSTANCES.get(object_name, [""]) if instances else [""]:
            yield object_name, f"({instance})" if instance else "", counter


def _play(columns: list[tuple[str, str, str]], pace_seconds: float, ahead_seconds: float) -> None:
    header = [rf"\\DB1\{GERMAN[name]}{instance}\{GERMAN[counter]}" for name, instance, counter in columns]
    _write(["(PDH-CSV 4.0)", *header])
    number = 0
    while True:
        moment = datetime.now(UTC) + timedelta(seconds=ahead_seconds, minutes=ZONE_MINUTES)
        # Rates are missing in the first row.
        values = [f"{VALUES[counter]:.6f}".replace(".", ",") if number else " " for _, _, counter in columns]
        _write([moment.strftime("%m/%d/%Y %H:%M:%S.%f")[:-3], *values])
        number += 1
        time.sleep(pace_seconds)


def _write(cells: list[str]) -> None:
    """In the code page of German Windows, which is not that of the script's own lines."""
    sys.stdout.buffer.write((",".join(f'"{cell}"' for cell in cells) + "\r\n").encode("cp1252"))
    sys.stdout.buffer.flush()


def _utc_at_zero() -> float:
    return datetime.now(UTC).timestamp() - time.monotonic()


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
