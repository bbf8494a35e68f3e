"""Calls of prepared statements over a connection's socket, and the rounds of a user loop that serve them, in C.

``_exchange`` is there where ``make setup`` found a C compiler. Its exchange sends a call and takes what comes back;
what the messages are is left to one table of functions for each protocol: ``_postgresql*.c`` and ``_mysql*.c``. Nothing
in this package knows the workload, whose calls are data: ``calls`` and ``parameters`` say of what kind.
"""

try:
    from engine.databases.exchange import _exchange as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

__all__ = ["compiled"]
