"""Readings of a database's activity: rates between two moments, zeros of what nobody waits for any more, failures."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from engine.collect.source import SourceReading
from engine.collect.sources.database_waits import DatabaseWaits
from engine.databases.activity import ServerActivity
from engine.errors import ErrorClass, TargetError, UserError
from engine.lab.server import EmbeddedServer
from engine.target.target import POSTGRESQL, Host, Target
from engine.telemetry.host import HostValue

_TARGET = Target(kind=POSTGRESQL, hosts=(Host("db1", 5432),), database="ds2", user="me")


class _Reader:
    """Answers with these activities in turn; an error is raised."""

    def __init__(self, *answers: ServerActivity | TargetError) -> None:
        self._answers: Iterator[ServerActivity | TargetError] = iter(answers)
        self.is_closed = False

    def read(self) -> ServerActivity:
        answer = next(self._answers)
        if isinstance(answer, TargetError):
            raise answer
        return answer

    def close(self) -> None:
        self.is_closed = True


def source_with(*answers: ServerActivity | TargetError) -> tuple[DatabaseWaits, _Reader]:
    source, reader = DatabaseWaits(_TARGET, None, ("ds2",)), _Reader(*answers)
    source._reader = reader
    source.interval_seconds = 0.05
    return source, reader


def readings(source: DatabaseWaits, count: int) -> list[SourceReading]:
    with closing(source.readings(threading.Event())) as found:  # type: ignore[type-var]
        return [next(found) for _ in range(count)]


def by_name(values: tuple[HostValue, ...]) -> dict[str, float]:
    return {f"{each.name} {each.device}".rstrip(): each.value for each in values}


def test_rates_are_of_the_time_between_two_readings() -> None:
    first = ServerActivity(
        sessions={"running": 3, "Lock": 2},
        waited_seconds={"log file": 10.0},
        buffer_hits=1_000,
        buffer_reads=0,
        log_bytes=5e6,
        commits=100,
        lags_seconds={"standby1": 1.5},
    )
    second = ServerActivity(
        sessions={"running": 4},
        waited_seconds={"log file": 10.1},
        buffer_hits=1_090,
        buffer_reads=10,
        log_bytes=6e6,
        commits=150,
    )
    source, reader = source_with(first, second)
    before, now = readings(source, 2)
    seconds = now.here_utc_seconds - before.here_utc_seconds
    assert by_name(before.values) == {
        "Sessions running": 3,
        "Sessions waiting for Lock": 2,
        "Replication lag standby1": 1.5,
    }
    values = by_name(now.values)
    assert values["Sessions waiting for Lock"] == 0
    assert values["Buffer hits"] == 90
    assert values["Log written"] == pytest.approx(1 / seconds)
    assert values["Commits"] == pytest.approx(50 / seconds)
    assert values["Sessions waiting for log file"] == pytest.approx(0.1 / seconds)
    assert "Replication lag standby1" not in values
    assert reader.is_closed


def test_counts_that_a_restart_has_set_back_give_no_rate() -> None:
    source, _ = source_with(ServerActivity(commits=100, log_bytes=5e6), ServerActivity(commits=3, log_bytes=1e3))
    assert readings(source, 2)[1].values == ()


def test_a_failure_is_one_sentence_that_names_the_database() -> None:
    source, _ = source_with(TargetError(ErrorClass.CONNECTION_LOST, "the server refused the connection"))
    with pytest.raises(UserError, match=r"^database ds2 on db1 does not tell its waits: the server refused the co"):
        readings(source, 1)


def test_a_server_that_has_answered_is_asked_again_at_once_when_it_fails_over(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = TargetError(ErrorClass.CONNECTION_LOST, "the connection was lost")
    other = (ServerActivity(commits=900), ServerActivity(commits=901))
    source, _ = source_with(ServerActivity(commits=1), lost, lost, *other)
    before, after, last = readings(source, 3)
    assert after.here_utc_seconds - before.here_utc_seconds < 30
    assert after.values == ()  # the counts of another server
    assert by_name(last.values)["Commits"] == pytest.approx(1 / (last.here_utc_seconds - after.here_utc_seconds))
    monkeypatch.setattr("engine.collect.sources.database_waits._PATIENCE_SECONDS", 0.0)
    source, _ = source_with(ServerActivity(commits=1), lost)
    with pytest.raises(UserError):
        readings(source, 2)


def test_a_real_server_is_read(embedded_server: EmbeddedServer) -> None:
    source = DatabaseWaits(embedded_server.target("postgres"), embedded_server.secret, ("postgres",))
    values = by_name(readings(source, 2)[1].values)
    assert {"Sessions running", "Log written", "Commits"} <= set(values)
