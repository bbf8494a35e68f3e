"""The licences of all that Spindle is shipped with, by the metadata of the Python packages.

The same in a clone, a wheel and a frozen program, as far as packages of the extras are installed: a frozen program has
the metadata of what it contains.
"""

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution

SHIPPED_EXTRAS = {"spindle": ("cluster", "winrm"), "psycopg": ("binary",)}
CALLED_ONLY = (
    "Programs under the GNU GPL, such as fio, ipmitool and some ODBC drivers, are called where the system has them."
    " None of them is shipped with Spindle."
)
_NOT_IN_METADATA = {"pysnmp": "BSD-2-Clause"}
"""By the files of the licences of packages whose metadata names none."""


@dataclass(frozen=True)
class Licence:
    """What a package is under, as its metadata names it, in one line."""

    package: str
    version: str
    licence: str


def shipped_licences() -> list[Licence]:
    """Python's licence, and that of each package in ``shipped``."""
    python = Licence("python", platform.python_version(), "PSF-2.0")
    return [python, *(Licence(name, each.version, _licence_of(each)) for name, each in shipped().items())]


def shipped() -> dict[str, Distribution]:
    """The distributions that ``spindle[cluster,winrm]`` needs on this system, by their names in small letters."""
    found: dict[str, Distribution] = {}
    wanted = ["spindle"]
    while wanted:
        name = wanted.pop()
        key = name.lower().replace("_", "-")
        if key in found:
            continue
        try:
            found[key] = distribution(name)
        except PackageNotFoundError:
            continue  # for another system or Python, or of an extra that is not installed
        wanted += [each for each in map(_required(key), found[key].requires or ()) if each]
    return dict(sorted(found.items()))


def _licence_of(package: Distribution) -> str:
    def stated(name: str) -> list[str]:
        return package.metadata.get_all(name) or []

    classified = [each.split(" :: ")[-1] for each in stated("Classifier") if each.startswith("License ::")]
    plain = [line for text in stated("License") for line in text.strip().splitlines()[:1]]
    named = next(iter(stated("License-Expression")), "") or ", ".join(classified) or ", ".join(plain)
    return named or _NOT_IN_METADATA.get(package.name, "not stated")


def _required(of: str) -> Callable[[str], str]:
    extras = SHIPPED_EXTRAS.get(of, ())

    def required(requirement: str) -> str:
        """The package that a requirement names; empty where it is of an extra that is not shipped."""
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", requirement)
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        return name[0] if name and (extra is None or extra[1] in extras) else ""

    return required
