"""Load machines that are network namespaces of this one, each behind a link of its own; only root can make them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache

import pytest


@dataclass(frozen=True)
class Slowness:
    """One way takes so long, more or less the jitter, and so many packets are lost."""

    delay_ms: float
    jitter_ms: float
    lost_share: float


@dataclass(frozen=True)
class FarMachine:
    """A namespace; this machine is at ``here`` for it. ``prefix`` begins a command that is run there."""

    name: str
    here: str
    link: str

    @property
    def prefix(self) -> list[str]:
        return ["ip", "netns", "exec", self.name]

    def cut(self) -> None:
        """Drop all packets, without any notice to either side."""
        _run("ip", "link", "set", self.link, "down")

    def rejoin(self) -> None:
        _run("ip", "link", "set", self.link, "up")


@contextmanager
def far_machine(slowness: Slowness | None = None) -> Iterator[FarMachine]:
    """A namespace behind a pair of veth devices, or, where the link is slow, of TUN devices."""
    third, of_four = divmod(os.getpid() % (256 * 64), 64)  # a network of four addresses for each process of the tests
    name, links = f"spindle{os.getpid()}", (f"sph{os.getpid()}", f"spt{os.getpid()}")
    here, there = f"10.213.{third}.{4 * of_four + 1}", f"10.213.{third}.{4 * of_four + 2}"
    _run("ip", "netns", "add", name)
    inside = ("ip", "netns", "exec", name)
    carrier: subprocess.Popen[str] | None = None
    try:
        if slowness is None:
            _run("ip", "link", "add", links[0], "type", "veth", "peer", "name", links[1], "netns", name)
        else:
            _run("ip", "tuntap", "add", links[0], "mode", "tun")
            _run(*inside, "ip", "tuntap", "add", links[1], "mode", "tun")
        _run("ip", "address", "add", f"{here}/30", "dev", links[0])
        _run(*inside, "ip", "address", "add", f"{there}/30", "dev", links[1])
        _run("ip", "link", "set", links[0], "up")
        _run(*inside, "ip", "link", "set", links[1], "up")
        _run(*inside, "ip", "link", "set", "lo", "up")
        if slowness is not None:
            carrier = _carrier(name, links, slowness)
        yield FarMachine(name, here, links[0])
    finally:
        if carrier is not None:
            carrier.kill()
            carrier.communicate()
        with suppress(subprocess.CalledProcessError):
            _run("ip", "link", "delete", links[0])
        _run("ip", "netns", "delete", name)


def _carrier(name: str, links: tuple[str, str], slowness: Slowness) -> "subprocess.Popen[str]":
    numbers = (slowness.delay_ms, slowness.jitter_ms, slowness.lost_share)
    command = [sys.executable, "-m", "tests.engine.cluster.slow_link", name, *links, *map(str, numbers)]
    carrier = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert carrier.stdout is not None
    assert carrier.stdout.readline() == "carrying\n"
    return carrier


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@cache
def _why_not() -> str:
    if not hasattr(os, "geteuid") or os.geteuid():
        return "only root can make network namespaces"
    try:
        with far_machine():
            return ""
    except (OSError, subprocess.CalledProcessError) as error:
        return str(error)


needs_networks = pytest.mark.skipif(bool(_why_not()), reason=f"no network namespaces here: {_why_not()}")
needs_tun = pytest.mark.skipif(not os.path.exists("/dev/net/tun"), reason="no TUN devices here")
