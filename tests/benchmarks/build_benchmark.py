"""Builds of stores: the seconds of a small one, and of large ones beside COPY from ready-made files.

A DVD Store, and a Brokerage store, whose generator makes three tables' rows of each trade. What the builder's process
takes of memory does not depend on the scale. The processor time, which other programs on the machine hardly change, is
the server's and that of Spindle or psql.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.lab.server import EmbeddedServer
from engine.places import find_places
from engine.workload.registry import BROKERAGE, DVD_STORE
from engine.workloads.brokerage.sizing import Size
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks import child, measured
from tests.benchmarks.copy_build import CopyBuild, build_from_files, write_files
from tests.benchmarks.figures import Figure, Goal, against_goal, figure, ratios, spread
from tests.benchmarks.section import Choices, Section

_COPIED = "bench_copied"
_SMALL, _LARGE, _QUICK = DbSize(10, "MB"), DbSize(1, "GB"), DbSize(100, "MB")
_BROKERAGE_SMALL, _BROKERAGE_LARGE, _BROKERAGE_QUICK = Size(1_000, 1), Size(5_000, 10), Size(1_000, 2)
_SMALL_GOAL = Goal(limit=5.0)
_SPEED_GOAL = Goal(limit=0.75, at_least=True)
_MEMORY_GOAL = Goal(limit=200.0)
_SECONDS = ("load_seconds", "index_seconds", "seconds", "cpu_seconds")


def run(chosen: Choices) -> list[Figure]:
    large, brokerage = (_QUICK, _BROKERAGE_QUICK) if chosen.quick else (_LARGE, _BROKERAGE_LARGE)
    print(f"{chosen.rounds} rounds, in turn; the build in a process of its own; medians [least–most]\n")
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            small = [_build(server, _SMALL, DVD_STORE) for _ in range(chosen.rounds)]
            figures = [
                against_goal(f"{_SMALL}: build", [each["seconds"] for each in small], _SMALL_GOAL, "s"),
                *_beside_copy(server, large, DVD_STORE, chosen.rounds),
            ]
            least = [_build(server, _BROKERAGE_SMALL, BROKERAGE) for _ in range(chosen.rounds)]
            return [
                *figures,
                figure(f"{_BROKERAGE_SMALL}: the builder's peak memory", "MB", _peaks(least)),
                *_beside_copy(server, brokerage, BROKERAGE, chosen.rounds),
            ]


def _build(server: EmbeddedServer, scale: object, workload: str) -> dict[str, Any]:
    measured.checkpoint(server)
    cpu_before = measured.server_cpu_seconds(server)
    told: dict[str, Any] = child.ask(
        "build_driver",
        {
            "target": child.target_to_plain(server.target(_database(workload))),
            "secret": server.secret.reveal(),
            "workload": workload,
            "scale": str(scale),
        },
    )
    told["cpu_seconds"] += measured.server_cpu_seconds(server) - cpu_before
    return told


def _database(workload: str) -> str:
    return f"bench_{workload}"


def _beside_copy(server: EmbeddedServer, scale: object, workload: str, rounds: int) -> list[Figure]:
    """Builds of a large store, and builds of the same rows from files, in turn."""
    builds, copies = [], []
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        files = measured.enterable(folder)
        for number in range(rounds):
            builds.append(_build(server, scale, workload))
            if number == 0:
                size = write_files(server.target(_database(workload)), server.secret, files, workload)
                print(f"\n{scale}: {builds[0]['rows']:,} rows, {size / 1e6:,.0f} MB of files")
            measured.checkpoint(server)
            target, maintenance = server.target(_COPIED), server.target("postgres")
            cpu_before = measured.server_cpu_seconds(server)
            copy = build_from_files(target, maintenance, server.secret, files, workload)
            server_cpu_seconds = measured.server_cpu_seconds(server) - cpu_before
            copies.append(replace(copy, cpu_seconds=copy.cpu_seconds + server_cpu_seconds))
    return _judge(str(scale), builds, copies)


def _judge(large: str, builds: Sequence[dict[str, Any]], copies: Sequence[CopyBuild]) -> list[Figure]:
    ours = {name: [float(each[name]) for each in builds] for name in _SECONDS}
    theirs = {name: [float(getattr(each, name)) for each in copies] for name in ours}
    print(f"{large + ', s':<18} {'rows':>20} {'indexes and all':>20} {'whole':>20} {'processors':>20}")
    for who, seconds in (("Spindle", ours), ("COPY from files", theirs)):
        print(f"{who:<18} " + " ".join(f"{spread(values, '.1f'):>20}" for values in seconds.values()))
    print()
    return [
        figure(f"{large}: Spindle, whole build", "s", ours["seconds"]),
        figure(f"{large}: COPY from files, whole build", "s", theirs["seconds"]),
        figure(f"{large}: Spindle, rows × COPY", "×", ratios(theirs["load_seconds"], ours["load_seconds"])),
        against_goal(f"{large}: speed × COPY from files", ratios(theirs["seconds"], ours["seconds"]), _SPEED_GOAL, "×"),
        figure(f"{large}: processor time × COPY from files", "×", ratios(ours["cpu_seconds"], theirs["cpu_seconds"])),
        against_goal(f"{large}: the builder's peak memory", _peaks(builds), _MEMORY_GOAL, "MB"),
    ]


def _peaks(builds: Sequence[dict[str, Any]]) -> list[float]:
    return [each["peak_memory_mb"] for each in builds]


SECTION = Section("build", "Builds beside COPY from ready-made files", run)
