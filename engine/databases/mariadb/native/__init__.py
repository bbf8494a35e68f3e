"""MySQL's client/server protocol, which MariaDB shares: the connections of emulated users to either server.

The connection is made here (``connection``, ``handshake``, ``passwords``), and the calls go through the compiled
exchange (``engine.databases.exchange``), those of many users in one loop. Everything else uses ODBC.
"""

from engine.databases.exchange import compiled
from engine.target.target import Target


def is_native(target: Target) -> bool:
    """Whether a target's users are driven by the native protocol: where it is compiled, unless a driver is chosen."""
    return compiled is not None and not target.driver
