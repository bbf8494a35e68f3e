"""The addresses of this machine, as load machines may reach it."""

import socket
import subprocess
from collections.abc import Iterable
from contextlib import suppress

import psutil

from engine.machines.access import SshAccess
from engine.machines.ssh import PROGRAM, ssh_arguments

_ANY_PORT = 9  # nothing is sent
_ASK_SECONDS = 10.0


def address_towards(access: SshAccess) -> str:
    """The address with which this machine reaches the host of an access, as its ssh configuration names it.

    Of a host behind another one, and of one that has no known address, it is this machine's first own address.
    """
    host = _host_of(access)
    with suppress(OSError):
        family, kind, protocol, _, place = socket.getaddrinfo(host, _ANY_PORT, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(place)
            return str(probe.getsockname()[0])
    return next(iter(own_addresses()), "127.0.0.1")


def own_addresses() -> list[str]:
    """The addresses of this machine's interfaces, without the loopback's and those of one link alone; IPv4 first."""
    found = [each for addresses in psutil.net_if_addrs().values() for each in addresses]
    families = (socket.AF_INET, socket.AF_INET6)
    ordered = (each.address for family in families for each in found if each.family is family)
    return [each for each in ordered if not each.startswith(("127.", "::1", "fe80:"))]


def controller_addresses(accesses: Iterable[SshAccess]) -> list[str]:
    """How machines of these accesses may reach this one, the likeliest address first."""
    return list(dict.fromkeys([*map(address_towards, accesses), *own_addresses(), "127.0.0.1"]))


def _host_of(access: SshAccess) -> str:
    """The name or address behind the alias that an access may have in ssh's configuration."""
    asked = [PROGRAM, "-G", *ssh_arguments(access, "true")[1:]]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=_ASK_SECONDS, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return access.host
    settings = dict(line.split(" ", 1) for line in said.splitlines() if " " in line)
    return settings.get("hostname", access.host)
