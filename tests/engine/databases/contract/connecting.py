"""The contract of connecting: hosts are tried in turn, each refusal has its class, and no password is shown."""

import time
import traceback
from dataclasses import replace

import pytest

from engine.databases.database import Timeouts
from engine.errors import ErrorClass, Remedy, RemedyKind, TargetError
from engine.secrets import Secret
from engine.target.target import Host
from tests.engine.databases.contract.places import Place, never, silent
from tests.engine.workloads.dvdstore.sessions import open_session, store_at

_QUICK = Timeouts(connect_seconds=0.5)
"""For hosts that are silent; a server that is to answer may need longer on a busy machine."""
_USUAL = Timeouts()
_GENEROUS_SECONDS = 60.0
_WRONG = Secret("hünter2 'quoted' \\and long")


class ConnectingContract:
    """Opening a session, or learning why not."""

    def test_a_refused_connection_is_lost_and_the_message_names_host_and_port(
        self, reader: Place, refusing: Host
    ) -> None:
        refusal = _refusal(reader, hosts=[refusing])
        assert (refusal.error_class, refusal.usable) == (ErrorClass.CONNECTION_LOST, False)
        assert refusing.name in str(refusal)
        assert str(refusing.port) in str(refusal)

    def test_a_host_that_never_answers_is_given_up_in_time(self, reader: Place, silent_host: Host) -> None:
        began = time.monotonic()
        refusal = _refusal(reader, hosts=[silent_host], timeouts=_QUICK)
        assert time.monotonic() - began < _GENEROUS_SECONDS
        assert (refusal.error_class, refusal.usable) == (ErrorClass.TIMEOUT, False)
        assert str(silent_host.port) in str(refusal)

    def test_a_wrong_password_is_rejected(self, reader: Place) -> None:
        refusal = _refusal(reader, secret=_WRONG)
        assert (refusal.error_class, refusal.usable) == (ErrorClass.REJECTED, False)
        assert f"user '{reader.target.user}'" in str(refusal)

    @pytest.mark.parametrize("secret", [None, Secret("")])
    def test_no_password_is_rejected(self, reader: Place, secret: Secret | None) -> None:
        assert _refusal(reader, secret=secret).error_class is ErrorClass.REJECTED

    def test_a_missing_database_is_named_with_the_way_to_make_it(self, reader: Place) -> None:
        target = reader.target.with_database("contract_missing")
        with pytest.raises(TargetError, match="'contract_missing' does not exist") as caught:
            open_session(target, reader.dbms.secret, _USUAL)
        assert caught.value.remedy == Remedy(kind=RemedyKind.BUILD_STORE, target=target.url)
        assert (caught.value.error_class, caught.value.usable) == (ErrorClass.MISSING_DATABASE, False)

    def test_an_unbuilt_store_is_no_place_for_a_session(self, scratch: Place) -> None:
        scratch.dbms.create(scratch.name)
        with pytest.raises(TargetError) as caught:
            scratch.open()
        assert caught.value.error_class is ErrorClass.OTHER
        scratch.dbms.drop(scratch.name)
        assert not scratch.dbms.exists(scratch.name)

    @pytest.mark.parametrize("first_host", [0, 1, 2, 5])
    def test_the_host_that_answers_is_found(self, reader: Place, refusing: Host, first_host: int) -> None:
        (good,) = reader.target.hosts
        target = replace(reader.target, hosts=(refusing, good))
        session = open_session(target, reader.dbms.secret, _USUAL, first_host=first_host)
        try:
            assert session.host == good
            assert set(session.prices([1])) == {1}
        finally:
            session.close()

    def test_a_silent_first_host_costs_no_more_than_its_time_out(self, reader: Place, silent_host: Host) -> None:
        (good,) = reader.target.hosts
        target = replace(reader.target, hosts=(silent_host, good))
        assert store_at(target, reader.dbms.secret, _USUAL).server().host == str(good)

    def test_connecting_begins_with_the_requested_first_host(self, reader: Place) -> None:
        (good,) = reader.target.hosts
        also_good = Host("localhost", good.port)
        target = replace(reader.target, hosts=(good, also_good))
        for first_host, expected in enumerate((good, also_good)):
            session = open_session(target, reader.dbms.secret, _USUAL, first_host=first_host)
            session.close()
            assert session.host == expected

    def test_most_specific_refusal_is_reported(self, reader: Place, refusing: Host, silent_host: Host) -> None:
        (good,) = reader.target.hosts
        for hosts in ([refusing, good], [good, refusing], [good, silent_host]):
            refusal = _refusal(reader, hosts=hosts, secret=_WRONG)
            assert refusal.error_class is ErrorClass.REJECTED
        for hosts, last in (
            ([refusing, silent_host], ErrorClass.TIMEOUT),
            ([silent_host, refusing], ErrorClass.CONNECTION_LOST),
        ):
            assert _refusal(reader, hosts=hosts).error_class is last

    def test_errors_do_not_contain_the_password(self, reader: Place, refusing: Host, silent_host: Host) -> None:
        (good,) = reader.target.hosts
        refusals = [_refusal(reader, hosts=[host], secret=_WRONG) for host in (good, refusing)]
        refusals.append(_refusal(reader, hosts=[silent_host], secret=_WRONG, timeouts=_QUICK))
        target = replace(reader.target, hosts=(good, refusing))
        store = store_at(target, _WRONG, _USUAL)
        for work in (
            store.server,
            store.state,
            store.drop,
            lambda: store.verify(report_progress=silent, cancelled=never),
            lambda: store.reset(report_progress=silent, cancelled=never),
        ):
            with pytest.raises(TargetError) as caught:
                work()
            refusals.append(caught.value)
        for refusal in refusals:
            told = repr(refusal) + "".join(traceback.format_exception(refusal))
            assert _WRONG.reveal() not in told
            assert "hünter2" not in told


def _refusal(
    place: Place, *, hosts: list[Host] | None = None, secret: Secret | str | None = "", timeouts: Timeouts = _USUAL
) -> TargetError:
    """Try to connect to these hosts, or with this secret; the error that comes of it."""
    target = replace(place.target, hosts=tuple(hosts)) if hosts else place.target
    password = place.dbms.secret if isinstance(secret, str) else secret
    with pytest.raises(TargetError) as caught:
        open_session(target, password, timeouts)
    return caught.value
