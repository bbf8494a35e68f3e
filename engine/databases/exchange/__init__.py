"""Calls of prepared statements over a connection's socket, and the rounds of a user loop that serve them, in C.

``_exchange`` exists if ``make setup`` found a C compiler. Its exchange sends a call and receives the answer; each
protocol has a table of functions for its messages: ``_postgresql*.c`` and ``_mysql*.c``. Nothing in this package
depends on the workload, whose calls are data, defined by ``calls`` and ``parameters``.
"""

try:
    from engine.databases.exchange import _exchange as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

__all__ = ["compiled"]
