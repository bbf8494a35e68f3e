"""Power by Redfish, from recorded trees of management controllers behind a real HTTPS server."""

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from engine.collect.source import SourceReading
from engine.collect.sources import redfish_power
from engine.collect.sources.redfish_power import redfish_source
from engine.errors import UserError
from engine.machines.access import RedfishAccess
from engine.secrets import Secret
from tests.doubles.redfish_server import PASSWORD, USER, RedfishServer, make_certificate
from tests.doubles.redfish_trees import CHASSIS, Tree, new_chassis, old_chassis, tree

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the server's certificate")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("controller"))


@pytest.fixture
def server(certificate: Path) -> Iterator[RedfishServer]:
    with RedfishServer(certificate) as running:
        yield running


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reading every 20 ms instead of every 5 s."""
    monkeypatch.setattr(redfish_power, "_LEAST_INTERVAL_SECONDS", 0.02)


def read(
    server: RedfishServer, count: int = 1, *, chassis: str = "", password: str = PASSWORD, interval_seconds: float = 0.0
) -> list[SourceReading]:
    access = RedfishAccess(url=server.url, user=USER, fingerprint=server.fingerprint, chassis=chassis)
    source = redfish_source(access, Secret(password), machine="db1", interval_seconds=interval_seconds)
    with closing(source.readings(threading.Event())) as readings:
        return [next(readings) for _ in range(count)]


def figures_of(reading: SourceReading) -> dict[str, float]:
    return {f"{value.name} {value.device}".rstrip(): value.value for value in reading.values}


@pytest.mark.parametrize(
    ("resources", "figures"),
    [
        (tree(new_chassis()), {"Power": 374, "Inlet temperature": 23.5}),
        (tree(new_chassis(watts=None)), {"Power": 377.5, "Inlet temperature": 23.5}),
        (tree(old_chassis()), {"Power": 197, "Inlet temperature": 21}),
        (tree(new_chassis(inlet=None)), {"Power": 374}),
        (
            tree(new_chassis()) | {f"{CHASSIS}/1U/EnvironmentMetrics": 404},
            {"Power": 377.5, "Inlet temperature": 23.5},
        ),
        (
            tree(new_chassis("A"), new_chassis("B", watts=12.5, inlet=None)),
            {
                "Power Computer System Chassis A": 374,
                "Inlet temperature Computer System Chassis A": 23.5,
                "Power Computer System Chassis B": 12.5,
            },
        ),
        (
            tree(
                new_chassis("1U"), new_chassis("GPU", watts=231, Links={"ContainedBy": {"@odata.id": f"{CHASSIS}/1U"}})
            ),
            {"Power": 374, "Inlet temperature": 23.5},
        ),
    ],
    ids=[
        "environment metrics",
        "power supplies",
        "the old power",
        "no inlet",
        "a link to nothing",
        "two chassis",
        "a part of a chassis",
    ],
)
def test_power_and_inlet_by_each_way(server: RedfishServer, resources: Tree, figures: dict[str, float]) -> None:
    server.resources = resources
    first, second = read(server, 2)
    assert figures_of(first) == figures_of(second) == figures
    assert {value.unit for value in first.values if value.name == "Power"} == {"W"}


def test_the_ways_are_looked_for_once(server: RedfishServer) -> None:
    server.resources = tree(new_chassis())
    read(server)
    asked_first = len(server.paths)
    server.paths.clear()
    read(server, 3)
    assert server.paths[asked_first:] == 2 * [
        f"GET {CHASSIS}/1U/EnvironmentMetrics",
        f"GET {CHASSIS}/1U/ThermalSubsystem",
        f"GET {CHASSIS}/1U/ThermalSubsystem/Metrics",
    ]


def test_a_controller_that_closes_its_connections_is_read_all_the_same(server: RedfishServer) -> None:
    server.resources = tree(old_chassis())
    server.keeps_connections = False
    assert [figures_of(each)["Power"] for each in read(server, 3)] == [197] * 3


def test_one_of_several_chassis_by_its_name(server: RedfishServer) -> None:
    server.resources = tree(new_chassis("A"), new_chassis("B", watts=12.5))
    (reading,) = read(server, chassis="B")
    assert figures_of(reading)["Power"] == 12.5
    with pytest.raises(UserError, match=r"^db1: chassis is 'C', which .* does not have; give one of: A, B\.$"):
        read(server, chassis="C")


def test_a_value_that_is_missing_for_a_while_is_a_gap(server: RedfishServer) -> None:
    server.resources = tree(old_chassis())
    access = RedfishAccess(url=server.url, user=USER, fingerprint=server.fingerprint)
    source = redfish_source(access, Secret(PASSWORD), machine="db1", interval_seconds=0.0)
    with closing(source.readings(threading.Event())) as readings:
        assert figures_of(next(readings)) == {"Power": 197, "Inlet temperature": 21}
        server.resources = tree(old_chassis(watts=None))
        assert figures_of(next(readings)) == {"Inlet temperature": 21}
        server.resources = tree(old_chassis(watts=205))
        assert figures_of(next(readings))["Power"] == 205


def test_a_controller_without_power(server: RedfishServer) -> None:
    server.resources = tree(old_chassis("Enclosure", watts=None))
    with pytest.raises(UserError, match=r"^db1: .* tells no power of its chassis \(Enclosure\); .* with a meter"):
        read(server)


@pytest.mark.parametrize(
    ("password", "status", "told"),
    [
        ("wrong", 200, r"^db1: the management controller at localhost:\d+ refused the user or the password"),
        (PASSWORD, 503, r"^db1: the management controller at localhost:\d+ answered HTTP 503 to /redfish/v1/Chassis/1"),
    ],
)
def test_errors_name_the_machine_and_not_the_password(
    server: RedfishServer, password: str, status: int, told: str
) -> None:
    server.resources = tree(old_chassis())
    if status != 200:
        server.resources[f"{CHASSIS}/1"] = status
    with pytest.raises(UserError, match=told) as error:
        read(server, password=password)
    assert password not in str(error.value)


def test_a_controller_that_takes_long_is_not_asked_again_before_it_has_answered(server: RedfishServer) -> None:
    """As one that takes 8 s where 5 s are asked for, at a hundredth of the times."""
    server.resources = tree(old_chassis())
    server.delay_seconds = 0.04
    began = time.monotonic()
    readings = read(server, 3, interval_seconds=0.05)
    times = [each.here_utc_seconds for each in readings]
    assert all(after - before > 0.075 for before, after in pairwise(times))
    assert [figures_of(each)["Power"] for each in readings] == [197] * 3
    assert time.monotonic() - began < 10
