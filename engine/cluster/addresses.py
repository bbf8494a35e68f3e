"""The addresses of this machine, as load machines may reach it."""

import socket
from collections.abc import Iterable
from contextlib import suppress

import psutil

from engine.machines.access import SshAccess
from engine.machines.ssh import ssh_settings

_ANY_PORT = 9  # nothing is sent


def address_towards(access: SshAccess) -> str:
    """This machine's address on the route to the host of an access, as the ssh configuration names that host.

    For a host behind a jump host, and for one without a known address, it is the first of this machine's addresses.
    """
    host = ssh_settings(access).get("hostname", access.host)
    with suppress(OSError):
        family, kind, protocol, _, place = socket.getaddrinfo(host, _ANY_PORT, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.connect(place)
            return str(probe.getsockname()[0])
    return next(iter(own_addresses()), "127.0.0.1")


def own_addresses() -> list[str]:
    """The addresses of this machine's interfaces without loopback and link-local ones; IPv4 first."""
    found = [each for addresses in psutil.net_if_addrs().values() for each in addresses]
    families = (socket.AF_INET, socket.AF_INET6)
    ordered = (each.address for family in families for each in found if each.family is family)
    return [each for each in ordered if not each.startswith(("127.", "::1", "fe80:"))]


def controller_addresses(accesses: Iterable[SshAccess]) -> list[str]:
    """The addresses at which machines with these accesses may reach this one, the likeliest first."""
    return list(dict.fromkeys([*map(address_towards, accesses), *own_addresses(), "127.0.0.1"]))
