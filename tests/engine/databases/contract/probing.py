"""The contract of a prober: the answers of a host, and a host that does not answer."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.databases.database import ProbeAnswer, Prober
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Host
from tests.engine.databases.contract.places import Place
from tests.engine.databases.contract.under_test import MortalDatabase
from tests.waiting import wait_until

_SLOT_SECONDS = 0.1
_SOON_SECONDS = 10.0


class Probers:
    """The probers of one test, which are closed after it."""

    def __init__(self) -> None:
        self._made: list[Prober] = []

    def of(self, place: Place, host: Host | None = None, secret: Secret | None = None) -> Prober:
        dbms = place.dbms
        prober = dbms.database.prober(place.target, host or place.target.hosts[0], secret or dbms.secret)
        self._made.append(prober)
        return prober

    def close(self) -> None:
        for prober in self._made:
            prober.close()


class ProbingContract:
    """One host, asked whether it commits writes."""

    @pytest.fixture
    def probers(self) -> Iterator[Probers]:
        probers = Probers()
        yield probers
        probers.close()

    def test_repeated_probes_of_a_committing_host_succeed(self, reader: Place, probers: Probers) -> None:
        prober = probers.of(reader)
        assert all(answer_of(prober).takes_writes for _ in range(3))

    def test_a_server_is_the_same_over_every_connection_and_by_every_name(
        self, reader: Place, probers: Probers
    ) -> None:
        (host,) = reader.target.hosts
        made = [probers.of(reader), probers.of(reader), probers.of(reader, Host("localhost", host.port))]
        servers = {answer_of(prober).server for prober in [*made, made[0]]}
        assert len(servers) == 1
        assert servers != {""}

    def test_asking_changes_nothing_in_the_store(self, reader: Place, probers: Probers) -> None:
        before, state = reader.contents(), reader.store.state()
        prober = probers.of(reader)
        for _ in range(3):
            answer_of(prober)
        assert reader.contents() == before
        assert reader.store.state() == state

    def test_closed_prober_reconnects(self, reader: Place, probers: Probers) -> None:
        prober = probers.of(reader)
        before = answer_of(prober)
        prober.close()
        prober.close()
        assert answer_of(prober) == before

    def test_refusing_host_raises_at_once_and_is_probed_again(
        self, reader: Place, refusing: Host, probers: Probers
    ) -> None:
        prober = probers.of(reader, refusing)
        for _ in range(2):
            error = error_of(prober)
            assert (error.error_class, error.usable) == (ErrorClass.CONNECTION_LOST, False)

    def test_a_wrong_password_is_a_rejection(self, reader: Place, probers: Probers) -> None:
        assert error_of(probers.of(reader, secret=Secret("wrong"))).error_class is ErrorClass.REJECTED

    def test_silent_host_returns_none_in_time(
        self, reader: Place, silent_host: Host, probers: Probers, background: ThreadPoolExecutor
    ) -> None:
        prober = probers.of(reader, silent_host)
        asked = background.submit(lambda: [prober.probe(_SLOT_SECONDS) for _ in range(12)])
        assert asked.result(timeout=60) == [None] * 12

    def test_killed_server_fails_or_is_silent_until_it_is_restarted(
        self, mortal: MortalDatabase, dying: Place, probers: Probers, background: ThreadPoolExecutor
    ) -> None:
        asked_before, asked_now = probers.of(dying), probers.of(dying)
        answer_of(asked_before)
        mortal.kill()
        for prober in (asked_before, asked_now):
            said = {background.submit(_said_by, prober).result(timeout=60) for _ in range(3)}
            assert said <= {None, ErrorClass.CONNECTION_LOST}
        mortal.start()
        answers = [answer_of(prober) for prober in (asked_before, asked_now)]
        assert answers[0] == answers[1]
        assert answers[0].takes_writes


def answer_of(prober: Prober) -> ProbeAnswer:
    """The host's answer, which a busy machine may give only to a later question."""
    answers: list[ProbeAnswer] = []

    def has_answered() -> bool:
        try:
            answer = prober.probe(_SLOT_SECONDS)
        except TargetError as error:
            if error.error_class is not ErrorClass.TIMEOUT:
                raise
            return False  # a session that was given up still has the row that a probe changes
        if answer is not None:
            answers.append(answer)
        return bool(answers)

    wait_until(has_answered, "the host answers")
    return answers[0]


def error_of(prober: Prober) -> TargetError:
    """The error of a host that refuses, which a busy machine may give only to a later question."""
    errors: list[TargetError] = []

    def has_failed() -> bool:
        try:
            assert prober.probe(_SOON_SECONDS) is None
        except TargetError as error:
            errors.append(error)
        return bool(errors)

    wait_until(has_failed, "the host refuses")
    return errors[0]


def _said_by(prober: Prober) -> ErrorClass | None:
    """What a host that is down comes to: the class of the error, or ``None`` when nothing came in time."""
    try:
        answer = prober.probe(_SOON_SECONDS)
    except TargetError as error:
        return error.error_class
    assert answer is None, "a server that was killed answers"
    return None
