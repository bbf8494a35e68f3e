"""What it costs a run to ask its database server once a second what its sessions wait for: orders a second with and
without ``server_waits``, in turn, on a store that was just reset. Called by the section ``hosts``."""

import tempfile
from dataclasses import replace

from engine.lab.server import EmbeddedServer
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from engine.workloads.dvdstore.sizing import DbSize
from tests.benchmarks import measured, spindle
from tests.benchmarks.driven import Driven
from tests.benchmarks.figures import Figure, Goal, against_goal, figure, ratios
from tests.benchmarks.section import Choices

_DATABASE = "bench"
_SIZES = {False: DbSize(100, "MB"), True: DbSize(10, "MB")}
_USERS = 32
_WARMUP_SECONDS = 5
_GOAL = Goal(limit=0.98, at_least=True)


def server_waits_figures(chosen: Choices) -> list[Figure]:
    """Orders a second without and with it, their relation round by round, and what an order costs Spindle more."""
    plan = RunPlan(
        targets=(Target(kind=EMBEDDED, database=_DATABASE),),
        threads=_USERS,
        ramp_rate=1_000,
        warmup_minutes=_WARMUP_SECONDS / 60,
    )
    done: dict[bool, list[Driven]] = {False: [], True: []}
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            measured.build(server, _DATABASE, _SIZES[chosen.quick])
            for number in range(chosen.rounds):
                for asked in (False, True) if number % 2 == 0 else (True, False):
                    measured.settle(server, [_DATABASE])
                    run = spindle.drive(places, replace(plan, server_waits=asked), seconds=chosen.seconds)
                    done[asked].append(run.driven)
    without, asked_too = ([each.orders_per_second for each in done[asked]] for asked in (False, True))
    load = f"{_USERS} users"
    return [
        figure(f"{load}: orders per second without server waits", "1/s", without),
        figure(f"{load}: orders per second with server waits", "1/s", asked_too),
        against_goal(f"{load}: orders per second, with × without", ratios(asked_too, without), _GOAL, "×"),
        figure(
            f"{load}: CPU per order of Spindle, with × without",
            "×",
            ratios([each.cpu_us for each in done[True]], [each.cpu_us for each in done[False]]),
        ),
    ]
