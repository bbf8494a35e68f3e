"""What the network carries, on the loopback connections of a real process; TCP's counts from a file of the test's."""

import itertools
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
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
def test_traffic_is_counted_on_the_interface_of_the_process(talk: tuple[socket.socket, socket.socket]) -> None:
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


def test_retransmitted_segments_are_counted_separately(tmp_path: Path) -> None:
    snmp = tmp_path / "snmp"
    snmp.write_text(SNMP.format(sent=1_000, again=10))
    moments = iter((5.0, 6.0))
    meter = NetworkMeter(lambda: next(moments), snmp, tables=())  # other tests have connections without an answer
    assert meter({}) is None
    snmp.write_text(SNMP.format(sent=1_500, again=13))
    assert meter({}) == NetworkReading(seconds=1.0, segments=500, segments_again=3)


def test_received_segments_are_known_if_the_system_counts_them(tmp_path: Path) -> None:
    snmp = tmp_path / "snmp"
    snmp.write_text("Tcp: InSegs OutSegs RetransSegs\nTcp: 70 100 0\n")
    meter = NetworkMeter(itertools.count(5.0).__next__, snmp)
    meter({})
    snmp.write_text("Tcp: InSegs OutSegs RetransSegs\nTcp: 95 130 0\n")
    assert meter({}) == NetworkReading(seconds=1.0, segments=30, segments_again=0, segments_received=25)


@pytest.mark.parametrize("text", ["", "Tcp: OutSegs\n", "Tcp: OutSegs RetransSegs\nTcp: some none\n"])
def test_missing_counters_are_unknown(tmp_path: Path, text: str) -> None:
    (tmp_path / "snmp").write_text(text)
    moments = iter((5.0, 6.0))
    meter = NetworkMeter(lambda: next(moments), tmp_path / "snmp")
    meter({})
    reading = meter({})
    assert reading is not None
    assert (reading.segments, reading.segments_again) == (None, None)


def table(*connections: tuple[int, int, int]) -> str:
    """The system's table of these connections: local port, state, and how often in a row each has sent again."""
    heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    return heading + "".join(
        f"   0: 0100007F:{port:04X} 0200007F:1538 {state:02X} 00000001:00000000 01:00000014 {again:08X}  1000  0 7\n"
        for port, state, again in connections
    )


class Counted:
    """A meter that reads what the test writes, a second apart."""

    def __init__(self, folder: Path) -> None:
        self._snmp, self._tables = folder / "snmp", (folder / "tcp", folder / "tcp6")
        self._meter = NetworkMeter(itertools.count(5.0).__next__, self._snmp, self._tables)
        self._sent = self._again = 0
        self.after(0, 0)

    def after(self, sent: int, again: int, *tables: str) -> NetworkReading | None:
        self._sent, self._again = self._sent + sent, self._again + again
        self._snmp.write_text(SNMP.format(sent=self._sent, again=self._again))
        for path, text in zip(self._tables, tables, strict=False):
            path.write_text(text)
        return self._meter({})

    def unanswered(self, sent: int, again: int, *tables: str) -> int:
        reading = self.after(sent, again, *tables)
        assert reading is not None
        return reading.segments_unanswered


def test_unanswered_retransmissions_are_counted_each_second(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    assert counted.unanswered(500, 10, table((1, 1, 2), (2, 1, 0)), table((3, 2, 1))) == 3
    assert counted.unanswered(500, 10, table((1, 1, 3), (2, 1, 0))) == 1, "the others wait, or were never silent"
    assert counted.unanswered(500, 10, table((1, 1, 0), (2, 1, 2))) == 3, "the first was answered when sent once more"
    assert counted.unanswered(500, 10, table((2, 1, 1))) == 2, "answered then, and sent once more since"
    assert counted.unanswered(500, 1, table(), table()) == 2, "both are given up"
    assert counted.unanswered(500, 1, table((2, 1, 1))) == 0, "hardly anything is sent again: nobody looks"


def test_connections_are_not_read_with_few_retransmissions(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
    assert counted.unanswered(1_000, 4, table((1, 1, 4))) == 0


def test_unreadable_connection_table_counts_as_answered(tmp_path: Path) -> None:
    assert Counted(tmp_path).unanswered(500, 10) == 0
    (tmp_path / "other").mkdir()
    assert Counted(tmp_path / "other").unanswered(500, 10, "sl\nno such thing\n\n   0: 1 2 01 0 0 xyz\n") == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of each connection")
def test_real_unanswered_connections_are_detected() -> None:
    meter = NetworkMeter()
    with ExitStack() as open_ones, socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        meter({})
        for _ in range(50):  # what other tests send meanwhile counts, too
            connecting = open_ones.enter_context(socket.socket())
            connecting.setblocking(False)
            connecting.connect_ex(full.getsockname())

        def unanswered() -> bool:
            reading = meter({})
            return reading is not None and reading.segments_unanswered > 0

        wait_until(unanswered, "those that found the queue full ask again")


def test_ended_process_has_no_interface() -> None:
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
