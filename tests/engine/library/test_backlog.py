"""The writes that wait for a library that can't be written: in their order, and in bounded memory."""

import itertools
import random
import threading
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.histogram import pack
from engine.library import backlog as backlog_module
from engine.library.backlog import Backlog
from engine.library.host_readings import PackedReading
from engine.library.run_items import Change, Item, Removal
from engine.telemetry.event import EventKind, RunEvent
from engine.telemetry.sample import ProbeSample, Sample
from tests.doubles.samples import dvd_sample
from tests.engine.library.examples import SAMPLES, some_samples

ITEMS = st.one_of(
    SAMPLES,
    st.builds(ProbeSample, store=st.integers(1, 2), second=st.integers(0, 9), slots=st.sampled_from(["w", "-"])),
    st.builds(
        RunEvent, at_seconds=st.just(1.0), kind=st.just(EventKind.MARK), label=st.just("m"), number=st.integers(1)
    ),
    st.builds(PackedReading, st.integers(1, 2), st.integers(0, 99), st.just(7), st.just(()), st.just(b"")),
    st.builds(Removal, st.integers(1, 9)),
    st.builds(Change, st.dictionaries(st.sampled_from(["state", "failure"]), st.text(max_size=3))),
)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog_module, "_ITEMS_OF_BATCH", 10)


def of_kind(items: Sequence[Item], *kinds: type) -> list[Item]:
    return [item for item in items if isinstance(item, kinds)]


@given(parts=st.lists(st.lists(ITEMS, max_size=7), max_size=12), written=st.integers(0, 3))
def test_backlog_returns_all_items_packed_or_not(parts: list[list[Item]], written: int) -> None:
    backlog, out = Backlog(), []
    for number, part in enumerate(parts):
        backlog.add(part)
        if number == written and backlog:
            out += backlog.first()
            backlog.drop_first()
    out += itertools.chain.from_iterable(backlog.all())
    again: list[Item] = []
    while backlog:
        again += backlog.first()
        backlog.drop_first()

    added = list(itertools.chain.from_iterable(parts))
    in_order = (RunEvent, Removal, Change, PackedReading)
    assert of_kind(out, *in_order) == of_kind(added, *in_order), "in their order"
    last = {(item.client, item.second): item for item in added if isinstance(item, Sample)}
    assert {(item.client, item.second): item for item in out if isinstance(item, Sample)} == last
    assert set(of_kind(out, ProbeSample)) == set(of_kind(added, ProbeSample))
    assert again == out[len(out) - len(again) :]


def test_backlog_keeps_the_first_batch_until_it_is_dropped() -> None:
    backlog = Backlog()
    backlog.add([Change({"state": "ramping"})])
    first = backlog.first()
    for sample in some_samples(seconds=20):
        backlog.add([sample])
        assert backlog.first() is first
    backlog.drop_first()
    assert backlog.first() == some_samples(seconds=20)[:10]


def test_backlog_splits_the_first_batch_into_items() -> None:
    backlog, samples = Backlog(), some_samples(seconds=4)
    backlog.add(samples[:3])
    backlog.add(samples[3:5])
    backlog.split_first()
    tried = []
    while backlog:
        tried.append(backlog.first())
        backlog.drop_first()
    assert tried == [[samples[0]], [samples[1]], [samples[2]], samples[3:5]]


def test_backlog_keeps_flush_requests_of_a_packed_batch() -> None:
    backlog, done = Backlog(), threading.Event()
    backlog.add([Change({})])
    backlog.add([*some_samples(seconds=6), done])
    backlog.drop_first()
    assert done in backlog.first()


def test_full_backlog_drops_only_the_oldest_samples() -> None:
    backlog = Backlog(most_bytes=3_000)
    backlog.add([Change({})])
    event = RunEvent(at_seconds=1.0, kind=EventKind.MARK, label="kept", number=1)
    backlog.add([event])
    samples = some_samples(clients=1, seconds=500)
    for sample in samples:
        backlog.add([sample])
    left = list(itertools.chain.from_iterable(backlog.all()))
    kept = of_kind(left, Sample)
    assert event in left
    assert backlog.lost == len(samples) - len(kept) > 100
    assert kept == samples[-len(kept) :]


def test_backlog_holds_a_day_of_many_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    clients, seconds = 24, 900
    backlog = Backlog()
    for batch in _busy(clients, seconds):
        backlog.add(batch)
    raw = sum(len(batch.items) for batch in backlog._batches)
    packed = clients * seconds - raw
    assert packed > raw / 2
    assert backlog._packed_bytes / packed * clients * 86_400 < backlog_module.MOST_BYTES
    assert backlog.lost == 0


def _busy(clients: int, seconds: int) -> Iterator[list[Item]]:
    """Samples of some 40 orders a second each, whose response times vary as they do."""
    chance = random.Random(1)
    for second in range(seconds):
        yield [
            dvd_sample(
                client=client,
                second=second,
                working=32,
                orders=(orders := chance.randint(30, 50)),
                logins=orders - 8,
                browses=3 * orders + chance.randint(-9, 9),
                purchases=orders,
                order_us=orders * chance.randint(9_000, 14_000),
                login_us=orders * chance.randint(1_000, 2_000),
                browse_us=orders * chance.randint(4_000, 6_000),
                purchase_us=orders * chance.randint(3_000, 5_000),
                order_us_max=chance.randint(30_000, 90_000),
                histogram=pack(Counter(int(chance.gauss(3_000, 60)) for _ in range(orders))),
                overdue=pack({}),
            )
            for client in range(1, clients + 1)
        ]
