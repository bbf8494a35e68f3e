"""Which ODBC drivers a machine has for a kind of target: what is found in the background and shown in a form."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class InstalledDrivers:
    """``names`` are the drivers of a kind that are there, the best first; ``hint`` says what to install if none is."""

    kind: str
    names: tuple[str, ...] = ()
    hint: str = ""
