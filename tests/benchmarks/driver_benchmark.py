"""Builds of stores, and the orders of Spindle and of pgbench from one server: it shares the machine's processors."""

import tempfile
from pathlib import Path

from engine.dvdstore.sizing import DbSize
from engine.dvdstore.user import Mix
from engine.lab.binaries import server_version
from engine.lab.server import EmbeddedServer
from engine.places import Places, find_places
from engine.plan import RunPlan
from engine.target import EMBEDDED, Target
from tests.benchmarks import measured
from tests.benchmarks.section import Choices, Section

_DATABASE = "bench"
_SIZE = DbSize(100, "MB")
_USERS = (8, 32)


def run(chosen: Choices) -> None:
    print(f"PostgreSQL {server_version()} on the same machine; {chosen.rounds} rounds of {chosen.seconds} s, medians\n")
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        Path(folder).chmod(0o755)  # the server's account has to enter when this runs as root
        places = find_places(Path(folder))
        with EmbeddedServer.attach(places.lab, tell=lambda _: None) as server:
            measured.print_builds(server, _DATABASE, (DbSize(10, "MB"), _SIZE))
            print(
                f"\n{'users':>5} {'driver':<8} {'orders/s':>9} {'× pgbench':>9} {'CPU µs/order':>13} {'× pgbench':>9}"
            )
            for users in _USERS:
                _compare(places, server, users, chosen.rounds, chosen.seconds)


def _compare(places: Places, server: EmbeddedServer, users: int, rounds: int, seconds: int) -> None:
    """Both drivers in turn on a store that was just reset, so that neither finds a larger one."""
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=_DATABASE),),
        threads=users,
        ramp_rate=1_000,
        warmup_minutes=2 / 60,
        minutes=seconds / 60,
    )
    mix = Mix(size=_SIZE, think_time_ms=0, pct_new_customers=20, n_searches=3, search_batch_size=5, n_line_items=5)
    spindle, pgbench = [], []
    for _ in range(rounds):
        measured.reset(server, _DATABASE)
        spindle.append(measured.drive_spindle(places, plan))
        measured.reset(server, _DATABASE)
        pgbench.append(measured.drive_pgbench(server, server.target(_DATABASE), mix, users=users, seconds=seconds))
    theirs = measured.medians(pgbench)
    for name, runs in (("pgbench", pgbench), ("Spindle", spindle)):
        rate, cpu = measured.medians(runs)
        print(f"{users:>5} {name:<8} {rate:>9,.0f} {rate / theirs[0]:>9.2f} {cpu:>13.0f} {cpu / theirs[1]:>9.2f}")


SECTION = Section("driver", "Builds, and orders beside pgbench's", run)
