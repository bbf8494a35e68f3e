"""What is MariaDB's own in telling an audit of a store: its packets, its read-only snapshot, its cancelling."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import pytest

from engine.databases.database import Timeouts
from engine.databases.mariadb.snapshot import MariaDBSnapshot, snapshot_of
from engine.databases.progress import IsCancelled
from engine.errors import Cancelled, TargetError
from engine.workloads.dvdstore.bindings.mariadb.store import STORE
from tests.doubles.mariadb_pair import run_on
from tests.doubles.mariadb_server import MariaDBServer
from tests.engine.databases.contract.places import SIZE, Place, never
from tests.engine.workloads.dvdstore.sessions import OpenAuditor, auditor_at
from tests.waiting import wait_until

BUILT = SIZE.orders
NEW_ORDER = "INSERT INTO orders (orderdate, customerid, netamount, tax, totalamount) VALUES (now(), 1, 5, 0, 5)"
WAITS = "SELECT count(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for table%'"


def auditor(place: Place, cancelled: IsCancelled = never) -> AbstractContextManager[OpenAuditor]:
    return auditor_at(place.target, place.dbms.secret, Timeouts(), cancelled)


def test_the_longest_range_keeps_its_last_order_and_odd_values_do_no_harm(place: Place) -> None:
    with auditor(place) as looking:
        last = BUILT + looking.most_numbers
    place.run(f"INSERT INTO orders VALUES ({last}, now(), NULL, 12345678.90, 0, 0)")
    place.run(f"INSERT INTO orderlines VALUES (70000, {last}, -3, 32767, now()), (3, {last}, 16777215, 2047, now())")
    with auditor(place) as looking:
        assert looking.orders(BUILT, last).tolist() == [(last, 0, 1234567890)]
        assert sorted(looking.lines(BUILT, last).tolist()) == [(last, 3, 2047, 16777215), (last, 255, 2047, 0)]


@contextmanager
def packets_of(server: MariaDBServer, size: int) -> Iterator[None]:
    """The server says no more than so many bytes at once to whoever connects meanwhile."""
    run_on(server, f"SET GLOBAL max_allowed_packet = {size}")
    yield
    run_on(server, "SET GLOBAL max_allowed_packet = DEFAULT")


def test_range_beyond_max_allowed_packet_is_read_in_parts(mariadb_server: MariaDBServer, reader: Place) -> None:
    with auditor(reader) as looking:
        orders, lines = looking.orders(0, BUILT), looking.lines(0, BUILT)
    with packets_of(mariadb_server, 1024), auditor(reader) as looking:
        assert looking.most_numbers == 8
        assert np.array_equal(looking.orders(0, BUILT), orders)
        assert np.array_equal(looking.lines(0, BUILT), lines)


def test_an_order_that_is_longer_than_the_servers_packet_is_read_in_rows(
    mariadb_server: MariaDBServer, place: Place
) -> None:
    order = BUILT + 1
    place.run(NEW_ORDER)
    place.run(f"INSERT INTO orderlines SELECT seq, {order}, 16777215, 2047, now() FROM seq_1_to_200")
    with packets_of(mariadb_server, 1024), auditor(place) as looking:
        lines = looking.lines(BUILT, order)
    assert sorted(lines.tolist()) == [(order, number, 2047, 16777215) for number in range(1, 201)]


def test_nothing_can_be_written(reader: Place) -> None:
    with snapshot_of(reader.target, reader.dbms.secret, Timeouts(), STORE, never) as looking:
        assert isinstance(looking, MariaDBSnapshot)
        with pytest.raises(TargetError, match="READ ONLY transaction"):
            looking._connection.query("DELETE FROM orders")


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
        run("LOCK TABLES orderlines WRITE")
        asking = threading.Thread(target=ask)
        asking.start()
        wait_until(lambda: place.value(WAITS), "the question waits for the lock")
        asked.set()
        asking.join(60)
    assert len(failures) == 1
