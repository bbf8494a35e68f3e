"""Builds of stores: the seconds of a small one, and of a large one beside COPY from ready-made files."""

import tempfile
from pathlib import Path
from typing import Any

from engine.lab.server import EmbeddedServer
from engine.places import find_places
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks import child, measured
from tests.benchmarks.copy_build import CopyBuild, build_from_files, write_files
from tests.benchmarks.figures import Figure, Goal, against_goal, figure, ratios, spread
from tests.benchmarks.section import Choices, Section

_DATABASE, _COPIED = "bench", "bench_copied"
_SMALL, _LARGE, _QUICK = DbSize(10, "MB"), DbSize(1, "GB"), DbSize(100, "MB")
_SMALL_GOAL = Goal(limit=5.0)
_SPEED_GOAL = Goal(limit=0.75, at_least=True)
_MEMORY_GOAL = Goal(limit=200.0)


def run(chosen: Choices) -> list[Figure]:
    large = _QUICK if chosen.quick else _LARGE
    print(f"{chosen.rounds} rounds, in turn; the build in a process of its own; medians [least–most]\n")
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        files = Path(folder) / "files"
        files.mkdir()
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            small = [_build(server, _SMALL) for _ in range(chosen.rounds)]
            builds, copies = [], []
            for number in range(chosen.rounds):
                builds.append(_build(server, large))
                if number == 0:
                    size = write_files(server.target(_DATABASE), server.secret, files)
                    print(f"{large}: {builds[0]['rows']:,} rows, {size / 1e6:,.0f} MB of files\n")
                measured.checkpoint(server)
                copies.append(build_from_files(server.target(_COPIED), server.target("postgres"), server.secret, files))
    return _judge(str(large), small, builds, copies)


def _build(server: EmbeddedServer, size: DbSize) -> dict[str, Any]:
    measured.checkpoint(server)
    told: dict[str, Any] = child.ask(
        "build_driver",
        {
            "target": child.target_to_plain(server.target(_DATABASE)),
            "secret": server.secret.reveal(),
            "size": str(size),
        },
    )
    return told


def _judge(
    large: str, small: list[dict[str, Any]], builds: list[dict[str, Any]], copies: list[CopyBuild]
) -> list[Figure]:
    ours = {name: [float(each[name]) for each in builds] for name in ("load_seconds", "index_seconds", "seconds")}
    theirs = {name: [float(getattr(each, name)) for each in copies] for name in ours}
    print(f"{large + ', s':<18} {'rows':>20} {'indexes and all':>20} {'whole':>20}")
    for who, seconds in (("Spindle", ours), ("COPY from files", theirs)):
        print(f"{who:<18} " + " ".join(f"{spread(values, '.1f'):>20}" for values in seconds.values()))
    print()
    return [
        figure(f"{large}: Spindle, whole build", "s", ours["seconds"]),
        figure(f"{large}: COPY from files, whole build", "s", theirs["seconds"]),
        figure(f"{large}: Spindle, rows × COPY", "×", ratios(theirs["load_seconds"], ours["load_seconds"])),
        against_goal(f"{_SMALL}: build", [each["seconds"] for each in small], _SMALL_GOAL, "s"),
        against_goal(f"{large}: speed × COPY from files", ratios(theirs["seconds"], ours["seconds"]), _SPEED_GOAL, "×"),
        against_goal(
            f"{large}: the builder's peak memory", [each["peak_memory_mb"] for each in builds], _MEMORY_GOAL, "MB"
        ),
    ]


SECTION = Section("build", "Builds beside COPY from ready-made files", run)
