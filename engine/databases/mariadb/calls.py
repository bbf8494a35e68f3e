"""Calls of stored procedures on MariaDB and MySQL."""

from collections.abc import Callable
from typing import Any

from engine.databases.exchange.calls import PreparedCall, Result


def procedure_call(
    name: str,
    types: tuple[int, ...],
    read: Callable[[Result], Any],
    values: Callable[..., tuple[Any, ...]] | None = None,
) -> PreparedCall:
    """The call of a procedure whose parameters have these types."""
    return PreparedCall(None, f"CALL {name}({', '.join('?' * len(types))})", types, values, read)
