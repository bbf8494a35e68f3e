import itertools
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from engine.driver.connector_pool import ConnectorPool, threads_for
from tests.waiting import wait_until

MOST = 3
FAR_SECONDS = 600.0


class Server:
    """Attempts to connect to it hang as long as it is silent; ``made`` and ``moments`` say which it has answered."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.moments: list[float] = []
        self.hanging = 0
        self._guard = threading.Lock()
        self._answers = threading.Event()
        self._answers.set()

    def attempt(self, name: str) -> Callable[[], float | None]:
        def connect() -> None:
            with self._guard:
                self.hanging += 1
            self._answers.wait()
            with self._guard:
                self.hanging -= 1
                self.made.append(name)
                self.moments.append(time.monotonic())

        return connect

    def fall_silent(self) -> None:
        self._answers.clear()

    def answer(self) -> None:
        self._answers.set()


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def most() -> int:
    """How many threads the pool may have."""
    return MOST


@pytest.fixture
def pool(stop: threading.Event, server: Server, most: int) -> Iterator[ConnectorPool]:
    pool = ConnectorPool(most, stop)
    yield pool
    server.answer()
    stop.set()
    pool.end()
    wait_until(lambda: connectors() == 0, "no thread is left")


def connectors() -> int:
    return sum(thread.name == "connector" for thread in threading.enumerate())


@pytest.mark.parametrize("most", [1])
def test_attempts_are_made_in_the_order_of_their_moments_and_never_before(pool: ConnectorPool, server: Server) -> None:
    server.fall_silent()
    pool.add(time.monotonic(), server.attempt("first"))
    wait_until(lambda: server.hanging == 1, "the only thread is at the first attempt")
    began = time.monotonic()
    due = {"c": began + 0.09, "a": began + 0.03, "b": began + 0.06}
    for name, moment in due.items():
        pool.add(moment, server.attempt(name))
    server.answer()
    wait_until(lambda: len(server.made) == 4, "all are made")

    assert server.made == ["first", "a", "b", "c"]
    assert all(made >= due[name] for name, made in zip(server.made[1:], server.moments[1:], strict=True))


def test_waiting_users_of_the_ramp_need_one_thread(pool: ConnectorPool, server: Server) -> None:
    later = time.monotonic() + FAR_SECONDS
    for number in range(1000):
        pool.add(later + number, server.attempt(str(number)))
    assert connectors() == 1

    pool.add(time.monotonic(), server.attempt("now"))
    wait_until(lambda: server.made == ["now"], "one that is due meanwhile is made")


def test_threads_end_when_all_users_are_connected(pool: ConnectorPool, server: Server) -> None:
    now = time.monotonic()
    for number in range(50):
        pool.add(now, server.attempt(str(number)))
    wait_until(lambda: len(server.made) == 50, "all are connected")

    wait_until(lambda: connectors() == 0, "the threads have ended")
    pool.add(time.monotonic(), server.attempt("later"))
    wait_until(lambda: server.made[-1] == "later", "one is connected on a new thread")


def test_attempt_is_repeated_at_its_time_without_a_waiting_thread(pool: ConnectorPool) -> None:
    made: list[float] = []

    def refused_twice() -> float | None:
        made.append(time.monotonic())
        return made[-1] + 0.03 if len(made) < 3 else None

    pool.add(time.monotonic(), refused_twice)
    wait_until(lambda: len(made) == 3, "it is accepted")

    assert all(later - earlier >= 0.03 for earlier, later in itertools.pairwise(made))


def test_hanging_attempt_does_not_delay_others(pool: ConnectorPool, server: Server) -> None:
    silent = Server()
    silent.fall_silent()
    pool.add(time.monotonic(), silent.attempt("hangs"))
    wait_until(lambda: silent.hanging == 1, "one hangs")

    for number in range(20):
        pool.add(time.monotonic(), server.attempt(str(number)))
    wait_until(lambda: len(server.made) == 20, "all others are connected")

    assert silent.hanging == 1
    silent.answer()


def test_silent_server_uses_a_bounded_number_of_threads(pool: ConnectorPool, server: Server) -> None:
    server.fall_silent()
    for number in range(200):
        pool.add(time.monotonic(), server.attempt(str(number)))
    wait_until(lambda: server.hanging == MOST, "as many hang as there may be threads")
    assert connectors() == MOST

    server.answer()

    wait_until(lambda: len(server.made) == 200, "all are connected")
    assert sorted(server.made) == sorted(str(number) for number in range(200))


def test_stop_ends_pending_attempts_even_if_all_threads_hang(
    pool: ConnectorPool, server: Server, stop: threading.Event
) -> None:
    ended: list[str] = []
    server.fall_silent()
    for number in range(MOST):
        pool.add(time.monotonic(), server.attempt(str(number)))
    wait_until(lambda: server.hanging == MOST, "all threads hang")
    pool.add(time.monotonic(), lambda: ended.append("waits for a thread"))
    pool.add(time.monotonic() + FAR_SECONDS, lambda: ended.append("is not due"))

    stop.set()
    pool.end()
    pool.add(time.monotonic() + FAR_SECONDS, lambda: ended.append("comes later"))

    assert ended == ["waits for a thread", "is not due", "comes later"]


def test_attempt_is_not_repeated_after_the_stop(pool: ConnectorPool, server: Server, stop: threading.Event) -> None:
    calls: list[bool] = []
    server.fall_silent()
    hang = server.attempt("it")

    def refused() -> float | None:
        calls.append(stop.is_set())
        hang()
        return None if calls[-1] else time.monotonic() + FAR_SECONDS

    pool.add(time.monotonic(), refused)
    wait_until(lambda: server.hanging == 1, "the attempt is under way")
    stop.set()
    pool.end()
    server.answer()

    wait_until(lambda: calls == [False, True], "it is told of the stop")


def test_attempt_without_a_thread_is_refused(
    pool: ConnectorPool, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            pool.add(time.monotonic(), server.attempt("refused"))
    pool.add(time.monotonic(), server.attempt("accepted"))
    wait_until(lambda: connectors() == 0, "the thread has ended")

    assert server.made == ["accepted"]


@pytest.mark.parametrize(
    ("ramp_rate", "connect_seconds", "threads"), [(10.0, 5.0, 50), (0.01, 5.0, 32), (10_000.0, 5.0, 128)]
)
def test_pool_has_a_thread_for_every_hanging_user(ramp_rate: float, connect_seconds: float, threads: int) -> None:
    assert threads_for(ramp_rate, connect_seconds) == threads
