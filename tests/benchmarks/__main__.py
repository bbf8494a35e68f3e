"""Prints the tables. All figures come from this machine in this run."""

import argparse
import platform

import psutil

from tests.benchmarks import audit_benchmark, driver_benchmark, mariadb_benchmark, opening_benchmark, window_benchmark
from tests.benchmarks.section import Choices

SECTIONS = (
    driver_benchmark.SECTION,
    mariadb_benchmark.SECTION,
    opening_benchmark.SECTION,
    audit_benchmark.SECTION,
    window_benchmark.SECTION,
)


def main() -> None:
    arguments = argparse.ArgumentParser(prog="make bench")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=int, default=15, help="how long each round of load takes")
    arguments.add_argument("--only", choices=[section.name for section in SECTIONS], help="run just this section")
    chosen = arguments.parse_args()
    print(f"{psutil.cpu_count()} processors, {platform.platform()}, Python {platform.python_version()}")
    for section in SECTIONS:
        if chosen.only in (None, section.name):
            print(f"\n{section.title}\n{'─' * len(section.title)}")
            section.run(Choices(rounds=chosen.rounds, seconds=chosen.seconds))


if __name__ == "__main__":
    main()
