"""The ODBC drivers on this machine for a kind of target, found in the background and shown in a form."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class InstalledDrivers:
    """``names`` are the installed drivers for a kind, the best first; ``hint`` says what to install if there is
    none."""

    kind: str
    names: tuple[str, ...] = ()
    hint: str = ""
