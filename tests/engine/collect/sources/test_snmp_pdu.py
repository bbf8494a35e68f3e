"""A power distribution unit by SNMP, against net-snmp's own agent with an object that a script answers."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from engine.collect.polling import PolledSource
from engine.collect.sources.snmp_pdu import snmp_source
from engine.errors import UserError
from engine.lab.node import pick_port
from engine.machines.access import SnmpAccess
from engine.secrets import Secret
from engine.telemetry.host import HostValue
from tests.waiting import wait_until

SNMPD = shutil.which("snmpd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
RACK = "1.3.6.1.4.1.318.1.1.26.4.3.1.5"
COMMUNITY = Secret("c0mmunity-that-must-not-be-seen")

pytestmark = pytest.mark.skipif(SNMPD is None, reason="the package snmpd is not installed")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """An agent whose outlet 1 has 21 hundredths of a kW, outlet 2 a text with a number, outlet 3 one without."""
    folder, port = tmp_path_factory.mktemp("snmpd"), pick_port(None)
    script = folder / "outlet.sh"
    answers = (("1", "integer", "21"), ("2", "string", "197.5"), ("3", "string", "off"))
    cases = " ".join(f'.{RACK}.{outlet}) printf "$2\\n{kind}\\n{text}\\n" ;;' for outlet, kind, text in answers)
    script.write_text(f'#!/bin/sh\ncase "$2" in {cases} esac\n')
    script.chmod(0o755)
    configuration = folder / "snmpd.conf"
    configuration.write_text(f"rocommunity {COMMUNITY.reveal()} 127.0.0.1\npass .{RACK} {script}\n")
    assert SNMPD is not None
    arguments = (SNMPD, "-f", "-Lf", str(folder / "log"), "-C", "-c", str(configuration), "-I", "-smux")
    process = subprocess.Popen(
        (*arguments, f"udp:127.0.0.1:{port}"),
        env=os.environ | {"SNMP_PERSISTENT_DIR": str(folder / "persistent")},
        stdin=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: watts_of(port, f"{RACK}.1") is not None, "snmpd answers")
        yield port
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture(autouse=True)
def an_agent_that_is_late_answers_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.collect.sources.snmp_pdu._ANSWER_SECONDS", 20.0)


def source_of(port: int, oid: str, *, factor: float = 1.0, community: Secret | None = COMMUNITY) -> PolledSource:
    access = SnmpAccess(host="127.0.0.1", port=port, oid=oid, factor=factor)
    return snmp_source(access, community, machine="rack", interval_seconds=0.02)


def watts_of(port: int, oid: str) -> float | None:
    try:
        return read(source_of(port, oid), 1)[0].value
    except UserError:
        return None


def read(source: PolledSource, count: int) -> list[HostValue]:
    stop = threading.Event()
    with closing(source.readings(stop)) as readings:
        return [value for _ in range(count) for value in next(readings).values]


def test_watts_of_an_outlet(port: int) -> None:
    assert read(source_of(port, f"{RACK}.1", factor=10), 3) == [HostValue("", "Power", "W", 210.0)] * 3


def test_a_number_in_a_text(port: int) -> None:
    assert read(source_of(port, f"{RACK}.2"), 1) == [HostValue("", "Power", "W", 197.5)]


@pytest.mark.parametrize(
    ("outlet", "told"),
    [
        (3, r"^rack: the SNMP agent at 127\.0\.0\.1:\d+ has 'off' as 1\.3\.6.*5\.3, which is not a number"),
        (9, r"has no object 1\.3\.6.*5\.9; look it up"),
    ],
)
def test_what_is_no_power(port: int, outlet: int, told: str) -> None:
    with pytest.raises(UserError, match=told):
        read(source_of(port, f"{RACK}.{outlet}"), 1)


@pytest.mark.parametrize("community", [None, Secret("wrong")])
def test_an_agent_that_does_not_answer(port: int, community: Secret | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.collect.sources.snmp_pdu._ANSWER_SECONDS", 0.1)
    with pytest.raises(UserError, match=r"does not answer; check its address, .* and the community") as error:
        read(source_of(port, f"{RACK}.1", community=community), 1)
    assert "wrong" not in str(error.value)


def test_a_port_where_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.collect.sources.snmp_pdu._ANSWER_SECONDS", 0.1)
    with pytest.raises(UserError, match=r"does not answer|can't be asked"):
        read(source_of(pick_port(None), f"{RACK}.1"), 1)
