"""What the network carries, on the loopback connections of a real process; TCP's counts from a file of the test's."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.driver.network_meter import NetworkMeter, NetworkReading
from tests.waiting import wait_until

_MORE_READINGS_THAN_UNTIL_ASKED_AGAIN = 100
SNMP = "Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: RtoMin OutSegs RetransSegs InErrs\nTcp: 200 {sent} {again} 0\n"


@pytest.fixture
def talk() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection over loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as near:
        far, _ = server.accept()
        with far:
            yield near, far


@pytest.mark.skipif(sys.platform != "linux", reason="loopback is counted as an interface on Linux")
def test_what_a_process_sends_is_counted_on_its_interface(talk: tuple[socket.socket, socket.socket]) -> None:
    near, far = talk
    meter = NetworkMeter()
    pids = {1: os.getpid()}
    assert meter(pids) is None
    readings: list[NetworkReading] = []

    def counted() -> bool:
        near.sendall(b"x" * 10_000)
        far.recv(10_000)
        reading = meter(pids)
        assert reading is not None
        readings.append(reading)
        return reading.packets > 0

    wait_until(counted, "packets are counted")
    assert readings[-1].seconds > 0
    assert readings[-1].failed_packets == 0
    assert readings[-1].used_pct is None, "loopback has no speed"


def test_segments_sent_again_are_told_apart(tmp_path: Path) -> None:
    snmp = tmp_path / "snmp"
    snmp.write_text(SNMP.format(sent=1_000, again=10))
    moments = iter((5.0, 6.0))
    meter = NetworkMeter(lambda: next(moments), snmp)
    assert meter({}) is None
    snmp.write_text(SNMP.format(sent=1_500, again=13))
    assert meter({}) == NetworkReading(seconds=1.0, segments=500, segments_again=3)


@pytest.mark.parametrize("text", ["", "Tcp: OutSegs\n", "Tcp: OutSegs RetransSegs\nTcp: some none\n"])
def test_counts_that_are_not_there_are_unknown(tmp_path: Path, text: str) -> None:
    (tmp_path / "snmp").write_text(text)
    moments = iter((5.0, 6.0))
    meter = NetworkMeter(lambda: next(moments), tmp_path / "snmp")
    meter({})
    reading = meter({})
    assert reading is not None
    assert (reading.segments, reading.segments_again) == (None, None)


def test_a_process_that_is_gone_has_no_interface() -> None:
    moments = iter((5.0, 6.0))
    meter = NetworkMeter(lambda: next(moments))
    meter({1: 2**22 + 1})
    reading = meter({1: 2**22 + 1})
    assert reading is not None
    assert (reading.interface, reading.packets) == ("", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="loopback is counted as an interface on Linux")
def test_the_interface_of_a_process_is_still_counted_when_its_connections_are_lost(
    talk: tuple[socket.socket, socket.socket],
) -> None:
    near, far = talk
    program = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))):
    print("connected", flush=True)
    sys.stdin.readline()
print("lost", flush=True)
sys.stdin.readline()
"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = [sys.executable, "-c", program, str(server.getsockname()[1])]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            meter, pids = NetworkMeter(), {1: process.pid}
            assert process.stdout.readline() == "connected\n"
            meter(pids)
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "lost\n"
            for _ in range(_MORE_READINGS_THAN_UNTIL_ASKED_AGAIN):
                meter(pids)
            near.sendall(b"x" * 10_000)
            far.recv(10_000)
            later = meter(pids)
            process.stdin.close()
    assert later is not None
    assert later.packets > 0
