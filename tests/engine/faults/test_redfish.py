"""Resets over Redfish, against a real HTTPS server that speaks the needed part of it."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import UserError
from engine.faults.injections import RedfishInjection
from engine.faults.outcome import Outcome
from engine.faults.redfish import SystemToReset
from engine.faults.redfish import find_system as find_with
from engine.faults.redfish import reset as reset_with
from engine.machines.inventory import Inventory
from engine.secrets import Secret
from tests.doubles.redfish_server import PASSWORD, USER, RedfishServer, make_certificate

KNOWN = Secret(PASSWORD)

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("controller"))


@pytest.fixture
def server(certificate: Path) -> Iterator[RedfishServer]:
    with RedfishServer(certificate) as running:
        yield running


def injection_of(server: RedfishServer, reset_type: str = "ForceOff", *, pinned: bool = True) -> RedfishInjection:
    fingerprint = server.fingerprint if pinned else ""
    return RedfishInjection(
        reset_type=reset_type, url=server.url, user=USER, fingerprint=fingerprint, timeout_seconds=60
    )


def reset(injection: RedfishInjection, password: Secret | None) -> Outcome:
    return reset_with(injection, injection.access(Inventory()), password)


def find_system(injection: RedfishInjection, password: Secret | None) -> SystemToReset:
    return find_with(injection, injection.access(Inventory()), password)


def test_a_server_is_reset_by_the_way_that_the_specification_has(server: RedfishServer) -> None:
    outcome = reset(injection_of(server), KNOWN)

    assert outcome == Outcome(output="PowerEdge R630 was On; HTTP 204")
    assert server.resets == [("System.Embedded.1", "ForceOff")]
    assert server.power == {"System.Embedded.1": "Off"}
    assert server.paths == [
        "GET /redfish/v1/",
        "GET /redfish/v1/Systems",
        "GET /redfish/v1/Systems/System.Embedded.1",
        "POST /redfish/v1/Systems/System.Embedded.1/Actions/ComputerSystem.Reset",
    ]
    assert reset(injection_of(server, "On"), KNOWN).output.startswith("PowerEdge R630 was Off")


def test_status_query_changes_nothing(server: RedfishServer) -> None:
    system = find_system(injection_of(server), KNOWN)
    assert (system.name, system.power_state) == ("PowerEdge R630", "On")
    assert server.resets == []


@pytest.mark.parametrize("password", [None, Secret("wrong")])
def test_without_the_right_password_nothing_happens(server: RedfishServer, password: Secret | None) -> None:
    outcome = reset(injection_of(server), password)
    assert outcome.never_began
    assert "refused the user or the password (HTTP 401)" in outcome.failure
    assert server.resets == []


def test_an_unknown_certificate_is_refused_before_the_password_is_sent(server: RedfishServer) -> None:
    with pytest.raises(UserError, match=f"is not trusted .* its SHA-256 fingerprint, {server.fingerprint},"):
        find_system(injection_of(server, pinned=False), KNOWN)
    assert server.paths == []


def test_another_certificate_than_the_pinned_one_is_refused_before_the_password_is_sent(server: RedfishServer) -> None:
    other = replace(injection_of(server), fingerprint="ab" * 32)
    with pytest.raises(UserError, match=f"another certificate than the pinned one .SHA-256 {server.fingerprint}"):
        find_system(other, KNOWN)
    assert server.paths == []


def test_a_certificate_may_be_checked_against_a_file(server: RedfishServer, certificate: Path, tmp_path: Path) -> None:
    by_file = replace(injection_of(server, pinned=False), ca_file=str(certificate))
    assert find_system(by_file, KNOWN).name == "PowerEdge R630"
    with pytest.raises(UserError, match=r"^ca_file .* holds no certificates"):
        find_system(replace(by_file, ca_file=str(tmp_path / "missing.pem")), KNOWN)


def test_unsupported_reset_type_is_reported_before_the_reset(server: RedfishServer) -> None:
    with pytest.raises(UserError, match="allows no PowerCycle; it allows On, ForceOff, ForceRestart"):
        find_system(injection_of(server, "PowerCycle"), KNOWN)


def test_one_of_several_systems_has_to_be_named(certificate: Path) -> None:
    with RedfishServer(certificate, ("Blade1", "Blade2")) as server:
        with pytest.raises(UserError, match="manages 2 systems; name one of: Blade1, Blade2"):
            find_system(injection_of(server), KNOWN)
        with pytest.raises(UserError, match="manages no system 'Blade3'"):
            find_system(replace(injection_of(server), system="Blade3"), KNOWN)
        reset(replace(injection_of(server), system="Blade2"), KNOWN)
        assert server.resets == [("Blade2", "ForceOff")]


def test_refusal_has_the_controllers_message(server: RedfishServer) -> None:
    server.refusal = 503
    outcome = reset(injection_of(server), KNOWN)
    assert outcome.never_began
    assert outcome.failure == "the controller refused with HTTP 503"
    assert "The fans are being replaced." in outcome.output


def test_a_controller_that_keeps_silent_costs_the_time_out_and_no_more(server: RedfishServer) -> None:
    server.silent.set()
    outcome = reset(replace(injection_of(server), timeout_seconds=0.3), KNOWN)
    assert outcome.never_began
    assert "did not answer (" in outcome.failure


def test_refused_connection_is_an_error(server: RedfishServer) -> None:
    with pytest.raises(UserError, match="did not answer"):
        find_system(RedfishInjection(reset_type="On", url="https://127.0.0.1:1", user=USER), KNOWN)
