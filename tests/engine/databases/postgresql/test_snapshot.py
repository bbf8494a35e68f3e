"""What is PostgreSQL's own in telling an audit of a store: its packing, its read-only snapshot, its cancelling."""

import threading
from contextlib import AbstractContextManager

import pytest

from engine.databases.database import Timeouts
from engine.databases.postgresql.snapshot import snapshot_of
from engine.databases.progress import IsCancelled
from engine.errors import Cancelled, TargetError
from engine.workloads.dvdstore.bindings.postgresql.store import STORE
from tests.engine.databases.contract.places import SIZE, Place, never
from tests.engine.workloads.dvdstore.sessions import OpenAuditor, auditor_at
from tests.waiting import wait_until

BUILT = SIZE.orders


def auditor(place: Place, cancelled: IsCancelled = never) -> AbstractContextManager[OpenAuditor]:
    return auditor_at(place.target, place.dbms.secret, Timeouts(), cancelled)


def test_the_longest_range_keeps_its_last_order_and_odd_values_do_no_harm(place: Place) -> None:
    with auditor(place) as looking:
        last = BUILT + looking.most_numbers
    place.run(f"INSERT INTO orders VALUES ({last}, now(), NULL, 1234567.89, 0, 0)")
    place.run(f"INSERT INTO orderlines VALUES (70000, {last}, -3, 32767, now()), (3, {last}, 16777215, 2047, now())")
    with auditor(place) as looking:
        assert looking.orders(BUILT, last).tolist() == [(last, 0, 123456789)]
        assert sorted(looking.lines(BUILT, last).tolist()) == [(last, 3, 2047, 16777215), (last, 255, 2047, 0)]


def test_nothing_can_be_written(reader: Place) -> None:
    with (
        pytest.raises(TargetError, match="read-only transaction"),
        snapshot_of(reader.target, reader.dbms.secret, Timeouts(), STORE, never) as looking,
    ):
        looking._connection.execute("DELETE FROM orders")


def test_a_question_that_waits_can_be_cancelled(place: Place) -> None:
    asked = threading.Event()
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            with auditor(place, asked.is_set) as looking:
                looking.lines(0, BUILT)
        except Cancelled as error:
            failures.append(error)

    with place.dbms.transaction(place.name) as run:
        run("LOCK TABLE orderlines")
        asking = threading.Thread(target=ask)
        asking.start()
        wait_until(lambda: place.dbms.waiting(place.name), "the question waits for the lock")
        asked.set()
        asking.join(60)
    assert len(failures) == 1
