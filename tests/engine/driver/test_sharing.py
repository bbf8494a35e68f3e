"""Which clients share a process, and how many threads drive its users."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.driver.messages import ClientStart
from engine.driver.sharing import (
    LEAST_PROCESSES,
    LOCAL_SERVER_FACTOR,
    is_this_machine,
    loops_of_each,
    may_preempt,
    share_out,
)
from engine.target.target import MARIADB, MSSQL, MYSQL, POSTGRESQL, Host, Target
from tests.engine.driver.runs import start_of


def client(number: int, threads: int = 32, *, host: str = "db1", kind: str = POSTGRESQL) -> ClientStart:
    target = Target(kind=kind, hosts=(Host(host, 5432),), database="ds2", user="nobody", tls="disable")
    return replace(start_of(target, None, client=number), threads=threads)


def is_here(name: str) -> bool:
    return name == "here"


def numbers(starts: list[ClientStart], processors: int) -> list[list[int]]:
    return [[start.client for start in share] for share in share_out(starts, processors, is_here)]


def test_clients_of_other_machines_share_as_many_processes_as_there_are_processors() -> None:
    starts = [client(number) for number in range(1, 25)]
    assert numbers(starts, 2) == [[*range(1, 13)], [*range(13, 25)]]
    assert [len(share) for share in numbers(starts, 8)] == [3] * 8
    assert numbers(starts, 1) == numbers(starts, LEAST_PROCESSES), "so that none takes all clients with it"
    assert numbers(starts, 64) == [[number] for number in range(1, 25)]


def test_clients_are_weighted_by_users() -> None:
    assert numbers([client(1, 60), *(client(number, 20) for number in (2, 3, 4))], 2) == [[1], [2, 3, 4]]
    assert numbers([client(1, 1), client(2, 1_000), client(3, 1)], 2) == [[1], [2, 3]]


def test_clients_of_this_machine_share_more_processes() -> None:
    starts = [client(number, host="here") for number in range(1, 25)]
    shares = numbers(starts, 2)
    assert shares == [[*range(first, first + 4)] for first in range(1, 25, 4)]
    assert len(shares) == 2 * LOCAL_SERVER_FACTOR
    assert numbers(starts, 8) == [[number] for number in range(1, 25)]


@pytest.mark.parametrize("kind", [MARIADB, MYSQL])
def test_users_do_not_preempt_a_local_server_whose_answers_come_in_parts(kind: str) -> None:
    assert may_preempt([client(1, kind=kind)], is_here)
    assert may_preempt([client(2, host="here")], is_here)
    assert not may_preempt([client(2, host="here"), client(3, host="here", kind=kind)], is_here)


def test_clients_of_this_machine_share_no_process_with_others() -> None:
    starts = [client(number, host="here" if number in (2, 4) else "db1") for number in range(1, 7)]
    assert numbers(starts, 2) == [[1, 3], [2], [4], [5, 6]]
    either = replace(client(3).target, hosts=(Host("db1", 5432), Host("here", 5432)))
    assert numbers([client(1), client(2), replace(client(3), target=either), client(4)], 1) == [[1], [2, 4], [3]]


def test_users_that_need_threads_are_not_put_with_others() -> None:
    starts = [client(number, kind=MSSQL if number < 4 else POSTGRESQL) for number in range(1, 7)]
    assert numbers(starts, 2) == [[1], [2], [3], [4], [5, 6]]


@given(st.lists(st.integers(1, 500), min_size=1, max_size=40), st.integers(1, 16), st.booleans())
def test_every_client_has_one_process_with_a_fair_share(users: list[int], processors: int, beside: bool) -> None:
    host = "here" if beside else "db1"
    starts = [client(number, threads, host=host) for number, threads in enumerate(users, start=1)]
    shares = share_out(starts, processors, is_here)
    assert [start for share in shares for start in share] == starts
    processes = LOCAL_SERVER_FACTOR * processors if beside else max(processors, LEAST_PROCESSES)
    assert 1 <= len(shares) <= processes
    # Half of a client at either end of a part may belong to its neighbours.
    most = sum(users) / processes + max(users)
    assert all(sum(start.threads for start in share) <= most for share in shares)


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("/run/postgresql", True),
        ("192.0.2.1", False),  # of the block that is kept for documentation
        ("a" * 70, False),  # no name is so long
    ],
)
def test_this_machine_knows_its_own_addresses(name: str, is_it: bool) -> None:
    assert is_this_machine(name) is is_it


@pytest.mark.parametrize(
    ("processes", "processors", "loops"), [(1, 1, 1), (1, 2, 2), (2, 2, 1), (2, 3, 1), (4, 16, 2), (24, 2, 1)]
)
def test_second_loop_is_used_if_a_processor_is_idle(processes: int, processors: int, loops: int) -> None:
    assert loops_of_each(processes, processors, may_preempt=True) == loops


@pytest.mark.parametrize(("processes", "processors", "loops"), [(1, 2, 1), (1, 4, 1), (1, 8, 2), (2, 8, 1)])
def test_users_that_leave_the_processors_to_the_server_have_one_loop(
    processes: int, processors: int, loops: int
) -> None:
    assert loops_of_each(processes, processors, may_preempt=False) == loops
