"""The result of a connection test: a plain value, made in the background and shown beside the target."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ConnectionResult:
    """``sentence`` describes the result; the other fields are its values, ``None`` or empty if unknown.

    ``store_size`` is such as ``40GB``, empty without a complete store. ``connect_ms`` is the time from the call to the
    open connection, milliseconds.
    """

    ok: bool
    sentence: str
    version: str = ""
    connect_ms: float | None = None
    store_size: str = ""
