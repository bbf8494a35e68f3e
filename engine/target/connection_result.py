"""What came of a connection test: a plain value, made by slow work and shown beside the target."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ConnectionResult:
    """``sentence`` says all of it; the other fields are what it says, ``None`` and empty where nothing was found.

    ``store_size`` is such as ``40GB``, empty when no whole store is there. ``connect_ms`` is the time from the call
    to the open connection, milliseconds.
    """

    ok: bool
    sentence: str
    version: str = ""
    connect_ms: float | None = None
    store_size: str = ""
