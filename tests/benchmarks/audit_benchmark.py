"""The audit: what the ledger costs an order, and how long the audit of a million orders takes."""

import statistics
import tempfile
import time
from pathlib import Path

from engine.audit.ledger import End, Ledger
from engine.audit.report import Verdict
from engine.audit.store_audit import StoreBefore
from engine.conduct.auditing import Auditing, DrivenStore, audit_run
from engine.conduct.endpoint import Endpoint
from engine.databases.database import Timeouts
from engine.driver.tally import SecondTally
from engine.driver.timebase import Timebase
from engine.lab.server import EmbeddedServer
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, Target
from engine.workloads.dvdstore.sizing import DbSize
from engine.workloads.dvdstore.transactions import TRANSACTIONS
from tests.benchmarks import bulk_orders, measured, spindle
from tests.benchmarks.figures import Figure, Goal, against_goal
from tests.benchmarks.section import Choices, Section
from tests.engine.workloads.dvdstore.sessions import store_at

_DATABASE = "bench"
_SIZE = DbSize(10, "MB")
_USERS = 8
_NOTED = 200_000
_FLUSH_EVERY = 2_000
_MILLION = 1_000_000
_SHARE_GOAL = Goal(limit=3.0)
_AUDIT_GOAL = Goal(limit=6.0)


def run(chosen: Choices) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="spindle-bench-") as folder:
        places = find_places(measured.enterable(folder))
        with EmbeddedServer.attach(places.lab, notify=lambda _: None) as server:
            measured.build(server, _DATABASE, _SIZE)
            plan = RunPlan(
                targets=(Target(kind=EMBEDDED, database=_DATABASE),),
                threads=_USERS,
                ramp_rate=1_000,
                warmup_minutes=1 / 60,
            )
            order_us = spindle.drive(places, plan, seconds=chosen.seconds).driven.cpu_us
            ledger_us = [ledger_us_per_order(Path(folder) / str(number)) for number in range(chosen.rounds)]
            print(
                f"an order costs the driver {order_us:,.0f} µs of CPU,"
                f" of which its ledger {statistics.median(ledger_us):.2f} µs"
            )
            shares = [100 * each / order_us for each in ledger_us]
            measured.reset(server, _DATABASE)
            seconds = audit_seconds(server, Path(folder) / "audited", _MILLION, chosen.rounds)
            return [
                against_goal("the ledger's share of an order's CPU", shares, _SHARE_GOAL, "%"),
                against_goal("audit of a million orders, five lines each", seconds, _AUDIT_GOAL, "s"),
            ]


def ledger_us_per_order(folder: Path) -> float:
    """Processor time of recording an order in the ledger, with its share of the writing, by one thread."""
    ledger = Ledger(str(folder / "client-1.ledger"), 1)
    tally = SecondTally(1, Timebase(time.monotonic()), types=TRANSACTIONS, ledger=ledger)
    begin = time.process_time()
    for order in range(1, _NOTED + 1):
        tally.acknowledged(order, 7, 4_999)
        if order % _FLUSH_EVERY == 0:
            ledger.flush()
    spent = time.process_time() - begin
    ledger.close(0, End.COMPLETE)
    return spent / _NOTED * 1e6


def audit_seconds(server: EmbeddedServer, folder: Path, count: int, rounds: int) -> list[float]:
    """The time of each round to audit a run of so many orders in a store that is as it was built."""
    bulk_orders.insert_orders(server, _DATABASE, count)
    target = server.target(_DATABASE)
    state = store_at(target, server.secret, Timeouts()).state()
    assert state is not None, "the store is built"
    path = folder / "client-1.ledger"
    bulk_orders.write_ledger(server, _DATABASE, path, _SIZE.orders, state.high_water)
    auditing = Auditing(
        run_id=folder.name,
        ledger=lambda _: path,
        resolve=lambda _: Endpoint(target, server.secret),
        timeouts=Timeouts(),
        report_progress=lambda _: None,
        cancelled=measured.never,
    )
    before = StoreBefore(as_built_at=state.as_built_at, high_water=_SIZE.orders, is_pristine=True)
    store = DrivenStore(planned=target, workload="dvdstore", clients={1: "bench"}, users=1, before=before)
    reports = [audit_run(auditing, [store], []) for _ in range(rounds)]
    assert all(report.verdict is Verdict.CLEAN and report.counts.present == count for report in reports), reports[0]
    return [report.seconds for report in reports]


SECTION = Section("audit", "The ledger, and the audit of a run", run)
