"""What passes over the loopback between a server and its drivers, as tcpdump writes it down.

Each packet has the system's stamp of the moment at which it passed; neither a driver nor the server has a part in that.
tcpdump comes with what the tests need; the right to capture is root's.
"""

import re
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.wire_calls import Packet, WireCall, calls_of

# The heads of Ethernet, IPv4 and TCP with its stamps take 66 bytes; then a statement's name and how its text begins.
_KEPT_BYTES = 192
_BUFFER_KB = 65_536
# What is written to a disk would hold up the server's own writing.
_MEMORY = Path("/dev/shm")
_READ_BYTES = 1 << 20

# The pcap format (IETF, draft-ietf-opsawg-pcap): a head of the file, then a head and the kept bytes of each packet.
_FILE_HEAD = struct.Struct("=IHHiIII")
_IN_NANOSECONDS = 0xA1B23C4D
_RECORD = struct.Struct("=IIII")
_ETHERNET, _ETHERNET_BYTES = 1, 14
_PORTS = struct.Struct("!HH")
_LISTENING = "listening on"
_DROPPED = re.compile(r"(\d+) packets? dropped by kernel")
# The system hands packets over once a second, and tcpdump does not ask for the last ones when it is ended.
_HELD_BACK_SECONDS = 1.5


@dataclass
class Wire:
    """What was seen: the ``calls`` are there when the watching has ended; ``trouble`` says why there are none."""

    calls: list[WireCall] = field(default_factory=list)
    trouble: str = ""


@contextmanager
def watching(server_port: int) -> Iterator[Wire]:
    """Watch the calls to a server on this machine that are made while the block runs.

    Where tcpdump is missing or refused, or could not keep up, there are no calls.
    """
    wire = Wire()
    with tempfile.TemporaryDirectory(prefix="spindle-wire-", dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        file = Path(folder) / "packets"
        process = _capturing(file, server_port, wire)
        try:
            yield wire
        finally:
            if process is not None:
                wire.trouble = _ended(process)
        if not wire.trouble:
            wire.calls = calls_of(packets(file, server_port))


def _capturing(file: Path, server_port: int, wire: Wire) -> "subprocess.Popen[str] | None":
    """tcpdump, once it listens to all that carries something; ``None`` when it doesn't, and the wire's trouble."""
    program = shutil.which("tcpdump") or shutil.which("tcpdump", path="/usr/sbin:/sbin")
    if program is None:
        wire.trouble = "tcpdump is not installed"
        return None
    content = "(ip[2:2] - ((ip[0] & 0xf) << 2) - ((tcp[12] & 0xf0) >> 2)) != 0"
    command = [
        program, "-i", "lo", "-s", str(_KEPT_BYTES), "-B", str(_BUFFER_KB), "--time-stamp-precision=nano", "-w", "-",
        f"tcp port {server_port} and {content}",
    ]  # fmt: skip
    with file.open("wb") as packets_file:
        process = subprocess.Popen(command, stdout=packets_file, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        if _LISTENING in line:
            return process
        said += line
    process.communicate()
    wire.trouble = f"tcpdump can't capture: {said.strip()}"
    return None


def _ended(process: "subprocess.Popen[str]") -> str:
    """End it; what went wrong, empty when nothing did."""
    try:
        time.sleep(_HELD_BACK_SECONDS)
        process.terminate()
        _, said = process.communicate()
    except BaseException:
        process.kill()  # one that goes on would slow down every later run on this machine
        raise
    dropped = _DROPPED.search(said)
    if process.returncode or dropped is None:
        return f"tcpdump failed: {said.strip()}"
    return f"tcpdump could not keep up: {dropped[0]}" if int(dropped[1]) else ""


def packets(file: Path, server_port: int) -> Iterator[Packet]:
    """Those of a capture, in the order of their passing; raises ``ValueError`` when it is none of an Ethernet in ns."""
    with file.open("rb", _READ_BYTES) as capture:
        magic, *_, link = _FILE_HEAD.unpack(capture.read(_FILE_HEAD.size))
        if (magic, link) != (_IN_NANOSECONDS, _ETHERNET):
            raise ValueError(f"{file.name} is no capture of an Ethernet in nanoseconds")
        while head := capture.read(_RECORD.size):
            seconds, nanoseconds, kept, _ = _RECORD.unpack(head)
            yield _packet(seconds + nanoseconds * 1e-9, capture.read(kept), server_port)


def _packet(at: float, frame: bytes, server_port: int) -> Packet:
    tcp = _ETHERNET_BYTES + 4 * (frame[_ETHERNET_BYTES] & 0x0F)
    source, destination = _PORTS.unpack_from(frame, tcp)
    content = frame[tcp + 4 * (frame[tcp + 12] >> 4) :]
    from_server = source == server_port
    return Packet(at, destination if from_server else source, from_server, content)
