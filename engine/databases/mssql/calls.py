"""Calls of stored procedures on SQL Server."""

from collections.abc import Callable
from typing import Any

from engine.databases.exchange.calls import PreparedCall, Result


def procedure_call(
    name: str, read: Callable[[Result], Any], values: Callable[..., tuple[Any, ...]] | None = None
) -> PreparedCall:
    """The call of a procedure; its parameters have the types of the values."""
    return PreparedCall(None, name, (), values, read)
