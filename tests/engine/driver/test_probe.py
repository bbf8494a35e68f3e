"""The probe's process: a sample of each store a second, whatever its hosts do, and its end."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import psutil
import pytest

from engine.analysis.series.probes import ProbeSeries
from engine.databases.database import ProbeAnswer
from engine.driver.child_process import ChildProcess
from engine.driver.messages import Begin, ProbedStore
from engine.driver.probe import HostPoller, pollers_of, run_probe
from engine.driver.probe_timeline import ProbeTimeline
from engine.driver.timebase import Timebase
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.kinds import MARIADB, MSSQL
from engine.target.target import POSTGRESQL, Host, Target
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import ProbeSample
from tests.doubles.frozen import frozen
from tests.engine.conftest import BuiltStore
from tests.lateness import measured_lateness
from tests.waiting import wait_until

NOWHERE = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody", tls="disable")
SLOTS = 10
MARGIN_SECONDS = 0.35
"""How far an outage that the probe saw may be from what was done, on a machine that has nothing else to do."""
_LONGEST_SECONDS = 60

Launch = Callable[..., ChildProcess]


class ProbeReceiver:
    """What a probe has told since it began."""

    def __init__(self, probe: ChildProcess) -> None:
        self.samples: list[ProbeSample] = []
        self.events: list[RunEvent] = []
        self._probe = probe

    def seconds_of(self, store: int, seconds: int) -> list[ProbeSample]:
        """Listen until there are so many samples of a store."""

        def there_are() -> bool:
            while self._probe.pipe.poll(0):
                for message in self._probe.pipe.recv():
                    (self.samples if isinstance(message, ProbeSample) else self.events).append(message)
            return len(self.of(store)) >= seconds

        wait_until(there_are, f"{seconds} s of store {store} are received")
        return self.of(store)

    def second_of(self, store: int, symbol: str, *, slots: int = SLOTS - 3) -> ProbeSample:
        """Listen until a second of a store has so many slots of a sign; before, the probe loads and connects."""
        seen = 0
        while (found := self.seconds_of(store, seen + 1)[seen]).slots.count(symbol) < slots:
            seen += 1
            assert seen < _LONGEST_SECONDS, f"store {store} never had {slots} × {symbol} in a second"
        return found

    def of(self, store: int) -> list[ProbeSample]:
        return [sample for sample in self.samples if sample.store == store]


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Starts a probe of stores, which has to leave by itself when its pipe ends."""
    probes: list[ChildProcess] = []

    def start(*stores: ProbedStore) -> ChildProcess:
        probes.append(ChildProcess(run_probe, stores, name="probe"))
        return probes[-1]

    yield start
    for probe in probes:
        probe.pipe.close()
        wait_until(partial(has_left, probe), "the probe leaves by itself")
        probe.end(0.0)


def has_left(probe: ChildProcess) -> bool:
    return probe.how_it_ended() == "ended with exit code 0"


def begun(probe: ChildProcess) -> float:
    """Let the probe begin; the epoch, which is a little later so that it has loaded by then."""
    epoch = time.monotonic() + 2.0
    probe.send(Begin(timebase=Timebase(epoch)))
    return epoch


def test_each_store_has_a_probe_sample_each_second_with_its_host(built_store: BuiltStore, launch: Launch) -> None:
    (good,) = built_store.target.hosts
    several = replace(built_store.target, hosts=(Host("127.0.0.1", 1), good))
    probe = launch(
        ProbedStore(number=1, target=built_store.target, secret=built_store.secret),
        ProbedStore(number=2, target=several, secret=built_store.secret),
        ProbedStore(number=3, target=NOWHERE, secret=None),
    )
    begun(probe)
    receiver = ProbeReceiver(probe)

    for store, host, symbol in ((1, str(good), "w"), (2, str(good), "w"), (3, "", "-")):
        assert receiver.second_of(store, symbol).host == host
        samples = receiver.seconds_of(store, 3)
        assert [sample.second for sample in samples] == list(range(len(samples)))
    assert [event.label for event in receiver.events if event.label.startswith("ds2")] == ["ds2 takes no writes"]


def test_stores_on_one_server_share_one_probe(built_store: BuiltStore, launch: Launch) -> None:
    targets = [built_store.target, built_store.target.with_database("postgres"), built_store.target]
    probe = launch(
        *(ProbedStore(number=n, target=each, secret=built_store.secret) for n, each in enumerate(targets, start=1))
    )
    begun(probe)
    receiver = ProbeReceiver(probe)

    for store in (1, 2, 3):
        receiver.second_of(store, "w")
    asked = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%emit_message%' AND pid <> pg_backend_pid()"
    with built_store.connect() as connection:
        wait_until(lambda: connection.execute(asked).fetchone() == (1,), "one question is asked for all of them")


@pytest.mark.parametrize(
    ("kind", "change", "questions"),
    [
        (POSTGRESQL, {"database": "other"}, 1),
        (MARIADB, {"database": "other"}, 2),
        (MSSQL, {"database": "other"}, 2),
        (POSTGRESQL, {"label": "other"}, 1),
        (POSTGRESQL, {"user": "other"}, 2),
        (POSTGRESQL, {"hosts": (Host("127.0.0.1", 2),)}, 2),
        (POSTGRESQL, {"hosts": (Host("127.0.0.1", 2), Host("127.0.0.1", 1))}, 2),
    ],
)
def test_only_stores_that_fail_together_share_a_probe(kind: str, change: dict[str, Any], questions: int) -> None:
    one = Target(kind=kind, hosts=(Host("127.0.0.1", 1),), database="ds2", user="nobody")
    stores = [ProbedStore(number=n, target=each, secret=None) for n, each in enumerate((one, replace(one, **change)))]
    timelines = [ProbeTimeline(store.number, "ds2", list(map(str, store.target.hosts))) for store in stores]
    assert len(pollers_of(stores, timelines, Timebase(0.0))) == questions


def test_probe_moves_to_the_next_database_after_a_refusal(built_store: BuiltStore, launch: Launch) -> None:
    targets = [built_store.target.with_database("not_there"), built_store.target]
    probe = launch(
        *(ProbedStore(number=n, target=each, secret=built_store.secret) for n, each in enumerate(targets, start=1))
    )
    begun(probe)
    receiver = ProbeReceiver(probe)

    for store in (1, 2):
        receiver.second_of(store, "w")


def test_wrong_password_reduces_the_probe_rate(built_store: BuiltStore, launch: Launch) -> None:
    probe = launch(ProbedStore(number=1, target=built_store.target, secret=Secret("wrong")))
    begun(probe)
    assert ProbeReceiver(probe).second_of(1, "-", slots=SLOTS).slots == "-" * SLOTS


def test_freeze_is_measured_to_a_tenth_of_a_second(built_store: BuiltStore, launch: Launch) -> None:
    probe = launch(ProbedStore(number=1, target=built_store.target, secret=built_store.secret))
    epoch = begun(probe)
    receiver = ProbeReceiver(probe)
    receiver.second_of(1, "w")
    receiver.samples.clear()
    with measured_lateness() as lateness:
        with built_store.connect() as connection, frozen(connection):
            frozen_at = time.monotonic() - epoch
            receiver.seconds_of(1, 5)
            thawed_at = time.monotonic() - epoch
        receiver.seconds_of(1, 7)
    margin = MARGIN_SECONDS + 2 * lateness.worst_seconds

    series = ProbeSeries()
    for sample in receiver.samples:
        series.add(sample)
    middle = (frozen_at + thawed_at) / 2
    (outage,) = (each for each in series.outages(1) if each.begin < middle and (each.end is None or middle < each.end))
    assert outage.begin == pytest.approx(frozen_at, abs=margin)
    assert outage.end == pytest.approx(thawed_at, abs=margin)
    # Each is known at the end of its tenth of a second.
    _, back = (
        next(event for event in receiver.events if event.at_seconds == pytest.approx(moment + 0.1))
        for moment in (outage.begin, outage.end)
    )
    assert back.detail == f"after {outage.end - outage.begin:.1f} s, on {built_store.target.hosts[0]}"


def test_probe_exits_if_its_run_ends_before_the_epoch(launch: Launch) -> None:
    launch(ProbedStore(number=1, target=NOWHERE, secret=None)).pipe.close()


def test_probe_uses_little_processor_time(built_store: BuiltStore, launch: Launch) -> None:
    probe = launch(*(ProbedStore(number=n, target=built_store.target, secret=built_store.secret) for n in (1, 2)))
    begun(probe)
    receiver = ProbeReceiver(probe)
    receiver.second_of(1, "w")  # by then it has loaded and connected
    told = len(receiver.of(1))
    before = psutil.Process(probe.pid).cpu_times()
    receiver.seconds_of(1, told + 3)
    after = psutil.Process(probe.pid).cpu_times()
    assert (after.user + after.system) - (before.user + before.system) < 0.3


class ScriptedProber:
    """Gives the same answer each time, and records when it was asked."""

    def __init__(self, answer: ProbeAnswer | TargetError | None) -> None:
        self.answer = answer
        self.asked = 0

    def probe(self, _: float) -> ProbeAnswer | None:
        self.asked += 1
        if isinstance(self.answer, TargetError):
            raise self.answer
        return self.answer

    def close(self) -> None:
        return


WRITABLE_ANSWER = ProbeAnswer(takes_writes=True, server="one")
REFUSED = TargetError(ErrorClass.MISSING_DATABASE, "no such database")
CLOSED = TargetError(ErrorClass.CONNECTION_LOST, "the database accepts no connections", usable=False)


@pytest.mark.parametrize(
    ("answers", "slots", "symbols"),
    [
        ([WRITABLE_ANSWER, REFUSED], 2, "ww"),
        ([REFUSED, REFUSED, WRITABLE_ANSWER], 2, "ww"),
        ([CLOSED, WRITABLE_ANSWER], 3, "-ww"),
        ([CLOSED, CLOSED], 2, "--"),
        ([None, WRITABLE_ANSWER], 2, "--"),
        ([REFUSED, REFUSED], 10, "-" * 10),
    ],
    ids=["refused, not asked", "two refuse", "one is closed", "all are closed", "silent", "all refuse"],
)
def test_probe_answer_applies_to_all_stores_except_a_refusal(
    answers: list[ProbeAnswer | TargetError | None], slots: int, symbols: str
) -> None:
    probers = [ScriptedProber(each) for each in answers]
    timelines = [ProbeTimeline(number, f"ds{number}", ["db1"]) for number in range(len(answers))]
    poller = HostPoller(Timebase(time.monotonic()), name="db1:5432")
    for prober, timeline in zip(probers, timelines, strict=True):
        poller.add(prober, timeline, 0)
    slot = 0
    while slot < slots:
        slot += poller._probe_slot(slot)

    assert slot == slots
    assert {timeline.take(0)[0].slots[:slots] for timeline in timelines} == {symbols}
    assert sum(prober.asked for prober in probers) <= slots + len(probers)


class FaultyProber:
    """Has a fault of our own."""

    def probe(self, within_seconds: float) -> NoReturn:
        raise ZeroDivisionError("hunter2")

    def close(self) -> None:
        return


def test_error_that_ends_probing_a_host_is_reported_once() -> None:
    poller = HostPoller(Timebase(time.monotonic()), name="db1:5432")
    poller.add(FaultyProber(), ProbeTimeline(1, "ds2", ["db1"]), 0)
    assert poller.take_failure() is None
    poller.start()
    messages: list[RunEvent] = []

    def is_reported() -> bool:
        messages.extend(event for event in (poller.take_failure(),) if event is not None)
        return bool(messages)

    wait_until(is_reported, "the error is reported")
    (event,) = messages
    assert (event.kind, event.label) == (EventKind.WARNING, "the probe of db1:5432 was lost")
    assert event.detail.startswith("ZeroDivisionError; ")
    assert "hunter2" not in event.detail
    assert poller.take_failure() is None
