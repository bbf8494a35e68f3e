"""Prints the tables with the goals beside the figures, and writes the figures to a file.

All figures come from this machine in this run.
"""

import argparse
import importlib
import json
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine.lab.binaries import server_version
from engine.workload.registry import DVD_STORE, find_workload
from engine.workstation import describe_workstation
from tests.benchmarks.figures import MISSED, Figure
from tests.benchmarks.section import DAY_TICKS, DEFAULT_TICKS, Choices, Section

SECTIONS = (
    "speed",
    "wholesale",
    "brokerage",
    "crowd",
    "build",
    "truth",
    "mariadb",
    "mariadb_turns",
    "opening",
    "audit",
    "hosts",
    "cluster",
    "storage",
    "endurance",
    "window",
    "packed",
)
FIGURES = Path(__file__).parents[2] / "build" / "bench.json"
FORMAT = 1


def main() -> None:
    arguments = _parser().parse_args()
    chosen = Choices(
        rounds=1 if arguments.quick else arguments.rounds,
        seconds=min(5, arguments.seconds) if arguments.quick else arguments.seconds,
        users=arguments.users,
        ticks=arguments.ticks,
        quick=arguments.quick,
    )
    machine = describe_workstation(find_workload(DVD_STORE).compiled)
    print(
        f"{machine['processors']} × {machine['processor']}, {machine['memory_mb'] / 1024:.0f} GB,"
        f" {platform.platform()}, Python {machine['python']}, psycopg {version('psycopg')}"
    )
    measured: dict[str, Sequence[Figure]] = {}
    for name in arguments.only or SECTIONS:
        section = _section(name)
        print(f"\n{section.title}\n{'─' * len(section.title)}")
        measured[name] = section.run(chosen)
    _sum_up(measured)
    _write(arguments.json, _to_dict(machine, chosen, measured))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=15, help="how long each measurement of a load takes")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="run this section; may be given again")
    parser.add_argument("--users", type=_numbers, default=(), help="numbers of users to compare the speed at: 8,32")
    parser.add_argument(
        "--ticks", type=int, default=DEFAULT_TICKS, help=f"how long the accelerated run is; a day has {DAY_TICKS}"
    )
    parser.add_argument("--quick", action="store_true", help="one round of 5 s: to see whether all works")
    parser.add_argument("--json", type=Path, default=FIGURES, help="where the figures are written (%(default)s)")
    return parser


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _section(name: str) -> Section:
    """Loaded when it is needed: one section's libraries must not weigh on another's measurement."""
    section: Section = importlib.import_module(f"tests.benchmarks.{name}_benchmark").SECTION
    return section


def _sum_up(measured: dict[str, Sequence[Figure]]) -> None:
    judged = [each for figures in measured.values() for each in figures if each.goal is not None]
    missed = [each for each in judged if each.verdict == MISSED]
    print(f"\n{len(judged) - len(missed)} of {len(judged)} goals reached, first steps included")
    for each in missed:
        print(f"  {MISSED}: {each.name}: {each.median:.4g} {each.unit}, goal {each.goal}")


def _to_dict(machine: dict[str, Any], chosen: Choices, measured: dict[str, Sequence[Figure]]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "versions": {"postgresql": server_version(), "psycopg": version("psycopg"), "spindle": machine["spindle"]},
        "rounds": chosen.rounds,
        "seconds": chosen.seconds,
        "ticks": chosen.ticks,
        "quick": chosen.quick,
        "sections": {name: [each.to_dict() for each in figures] for name, figures in measured.items()},
    }


def _write(path: Path, plain: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    print(f"the figures are in {path}")


if __name__ == "__main__":
    main()
