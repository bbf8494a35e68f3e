"""Which samples are made when; the clients are doubles that only count."""

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver import sampler
from engine.driver.client import Client
from engine.driver.sampler import Sampler, SamplesTaken
from engine.driver.timebase import Timebase
from engine.telemetry.sample import Sample
from tests.doubles.samples import dvd_sample

NOW = 1_000.0


@pytest.fixture(scope="module", autouse=True)
def time_stands_still() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampler, "time", SimpleNamespace(monotonic=lambda: NOW))
        yield


class CountingClient:
    """Counts some orders in each second that is over."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.fault: Exception | None = None
        self._taken = 0

    def take(self, before: int) -> list[Sample]:
        if self.fault is not None:
            raise self.fault
        seconds = range(self._taken, before)
        self._taken = max(before, self._taken)
        return [dvd_sample(client=self.number, second=each) for each in seconds]


class Stage:
    """A sampler of so many clients, in a run that began so many seconds ago, and what it sent."""

    def __init__(self, clients: int, began_before: float) -> None:
        self.timebase = Timebase(NOW - began_before)
        self.clients = [CountingClient(number) for number in range(1, clients + 1)]
        self.sent: list[Any] = []
        self.sampler = Sampler(cast(list[Client], self.clients), self.timebase, self.sent.append)

    def seconds_of(self, client: CountingClient) -> list[int]:
        of_client = [
            made for made in self.sent if isinstance(made, SamplesTaken) and cast(object, made.client) is client
        ]
        return [sample.second for made in of_client for sample in made.samples]


def test_no_sample_before_it_is_due() -> None:
    stage = Stage(clients=1, began_before=0.0)
    assert stage.sampler.make() == stage.sampler.due
    assert stage.sent == []
    assert 1.0 <= stage.timebase.at(stage.sampler.due) < 1.2


def test_late_samples_cover_all_elapsed_seconds() -> None:
    stage = Stage(clients=1, began_before=5.5)
    due = stage.sampler.make()

    (made,) = stage.sent
    assert stage.seconds_of(stage.clients[0]) == [0, 1, 2, 3, 4]
    assert 4.3 < made.late_seconds <= 4.5, "since the first of them was due"
    assert 6.0 <= stage.timebase.at(due) < 6.2, "the next one is due after the present second"


@given(clients=st.integers(1, 24))
def test_each_client_has_one_sample_each_second(clients: int) -> None:
    stage = Stage(clients, began_before=1.5)
    moments = [stage.timebase.at(stage.sampler.due)]
    while (due := stage.timebase.at(stage.sampler.make())) < 2.0:
        moments.append(due)

    assert [made.client for made in stage.sent] == stage.clients
    assert moments == sorted(moments)
    assert len({round(moment, 6) for moment in moments}) == clients, "no two at the same moment"
    assert all(1.0 <= moment < 1.2 for moment in moments)
    assert all(stage.seconds_of(client) == [0] for client in stage.clients)


def test_concurrent_threads_make_one_sample() -> None:
    stage = Stage(clients=1, began_before=1.5)
    together = threading.Barrier(8)

    def make() -> None:
        together.wait()
        stage.sampler.make()

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stage.seconds_of(stage.clients[0]) == [0]
    assert len(stage.sent) == 1


def test_sampling_does_not_block_users() -> None:
    stage = Stage(clients=1, began_before=1.5)
    begun, may_end = threading.Event(), threading.Event()
    take = stage.clients[0].take

    def take_long(before: int) -> list[Sample]:
        begun.set()
        assert may_end.wait(60)
        return take(before)

    stage.clients[0].take = take_long  # type: ignore[method-assign]
    maker = threading.Thread(target=stage.sampler.make_unless_busy)
    maker.start()
    assert begun.wait(60)
    again = stage.sampler.make_unless_busy()
    assert NOW < again < NOW + 0.5, "soon, and before the next second is over"
    assert stage.sent == []
    may_end.set()
    maker.join(60)
    assert stage.seconds_of(stage.clients[0]) == [0]
    assert stage.sampler.make_unless_busy() == stage.sampler.due > again


def test_no_sample_after_the_end() -> None:
    stage = Stage(clients=2, began_before=1.5)
    stage.sampler.end()
    assert stage.sampler.make() == float("inf")
    assert stage.sent == []


def test_sampler_error_is_reported_and_other_clients_continue() -> None:
    stage = Stage(clients=2, began_before=1.5)
    stage.clients[0].fault = fault = ValueError("a bug")
    stage.sampler.make()
    stage.sampler.make()

    first, second = stage.sent
    assert first is fault
    assert isinstance(second, SamplesTaken)
    assert stage.seconds_of(stage.clients[1]) == [0]
