"""Runs to show: samples of any length, with an outage, a client that gets lost, and marks."""

from dataclasses import replace

from engine.analysis.run_data import RunData
from engine.histogram import bucket_of, pack
from engine.plan.plan import RunPlan
from engine.record.record import Phases, RunState
from engine.target.target import EMBEDDED, Target
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import Sample
from tests.doubles.samples import dvd_sample
from tests.engine.events import connections_lost, server_error

THREADS = 32
MEASURING_FROM = 30
OUTAGE = range(200, 212)
LOST_FROM = 400


def a_plan(clients: int = 4, *, minutes: float = 30, think_time_ms: float = 0) -> RunPlan:
    target = Target(kind=EMBEDDED)
    return RunPlan(
        name="R630 SSD 20 ms #2",
        targets=(target,),
        databases=clients,
        threads=THREADS,
        ramp_rate=3.2,
        think_time_ms=think_time_ms,
        warmup_minutes=20 / 60,
        minutes=minutes,
    )


def a_second(client: int, second: int, *, out: bool = False) -> Sample:
    """One second of a client: some 780 orders of about 10 ms, or none at all while its users come back."""
    if out:
        return dvd_sample(client=client, second=second, reconnecting=THREADS, errors={"connection_lost": 3})
    orders = 770 + (client * 7 + second * 13) % 29
    return dvd_sample(
        client=client,
        second=second,
        working=THREADS - 4,
        thinking=4,
        orders=orders,
        new_customers=orders // 5,
        logins=orders - orders // 5,
        browses=3 * orders,
        purchases=orders,
        rollbacks=orders // 50,
        order_us=10_000 * orders,
        order_us_max=40_000,
        histogram=pack({bucket_of(9_000): orders - 40, bucket_of(11_800): 30, bucket_of(30_000): 10}),
    )


def a_live_run(clients: int = 4, seconds: int = 600, *, until_stopped: bool = False, troubled: bool = True) -> RunData:
    """A run that measures since second 30; ``troubled``: an outage of all, and client 2 lost at second 400."""
    run = RunData(a_plan(clients, minutes=0 if until_stopped else 30), run_id="20261121-043017-aaaa")
    for second in range(seconds):
        for client in range(1, clients + 1):
            if not (troubled and client == 2 and second >= LOST_FROM):
                run.add(a_second(client, second, out=troubled and second in OUTAGE))
    end = None if until_stopped else MEASURING_FROM + 1_800
    phases = Phases(warming_up_from=10, measuring_from=MEASURING_FROM, measuring_to=end)
    run.set_state(RunState.MEASURING, phases)
    for event in events(clients, seconds if troubled else 0):
        run.put_event(event)
    return run


def a_scheduled_run(clients: int = 4, seconds: int = 300) -> RunData:
    """A run with think time, whose outage is charged to 200 orders a second of each client when it is over."""
    run = RunData(a_plan(clients, think_time_ms=20), run_id="20261121-043017-bbbb")
    waited = pack({bucket_of(60_000 * number): 1 for number in range(1, 201)})
    for second in range(seconds):
        for client in range(1, clients + 1):
            sample = a_second(client, second, out=second in OUTAGE)
            run.add(replace(sample, overdue=waited if second == OUTAGE.stop else b""))
    phases = Phases(warming_up_from=10, measuring_from=MEASURING_FROM, measuring_to=MEASURING_FROM + 1_800)
    run.set_state(RunState.MEASURING, phases)
    for event in events(clients, seconds):
        run.put_event(event)
    return run


def ended(run: RunData, state: RunState = RunState.COMPLETED) -> RunData:
    """The same run when it is over, without a record's totals."""
    phases = Phases(warming_up_from=10, measuring_from=MEASURING_FROM, measuring_to=run.series.seconds)
    run.set_state(state, phases)
    return run


def a_mark(number: int, at_seconds: float, label: str) -> RunEvent:
    return RunEvent(number=number, at_seconds=at_seconds, kind=EventKind.MARK, label=label, by_hand=True)


def events(clients: int, seconds: int) -> list[RunEvent]:
    """Phases, and before ``seconds`` an outage with its marks, and the loss of client 2."""
    told = [
        RunEvent(number=1, at_seconds=0, kind=EventKind.PHASE, label="ramping"),
        RunEvent(number=2, at_seconds=10, kind=EventKind.PHASE, label="warming up"),
        RunEvent(number=3, at_seconds=MEASURING_FROM, kind=EventKind.PHASE, label="measuring"),
        a_mark(4, 199.4, "Enclosure pulled"),
    ]
    back = "all users connected again"
    for client in range(1, clients + 1):
        for event in (
            connections_lost(200.6, 20, client),
            server_error(200.7, "connection_lost", "the server closed the connection unexpectedly", client),
            connections_lost(201.6, 12, client),
            RunEvent(at_seconds=212.6, kind=EventKind.CONNECTION_BACK, label=back, client=client),
        ):
            told.append(replace(event, number=len(told) + 1))
    told.append(a_mark(len(told) + 1, 230.2, "Restored"))
    lost = "ended by signal 9"
    label = "client ds2_2 lost"
    number = len(told) + 1
    told.append(
        RunEvent(number=number, at_seconds=400.2, kind=EventKind.CLIENT_LOST, label=label, client=2, detail=lost)
    )
    return [event for event in told if event.at_seconds < max(seconds, MEASURING_FROM + 1)]
