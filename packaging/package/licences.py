"""Prints the licence of each Python package that is shipped: a line with name, version and licence.

They are what ``spindle[cluster,winrm]`` needs on this system, by the packages' own metadata. Fails when one is under
the GNU GPL, which has no exception for programs that contain it; the Lesser GPL has.
"""

import re
import sys
from collections.abc import Callable
from importlib.metadata import Distribution, PackageNotFoundError, distribution

_EXTRAS = {"spindle": ("cluster", "winrm"), "psycopg": ("binary",)}
_GPL = re.compile(r"(?<!Lesser )(?<!L)GPL|(?<!Lesser )General Public", re.IGNORECASE)
_LESSER = re.compile(r"LGPL|Lesser", re.IGNORECASE)


def shipped() -> dict[str, Distribution]:
    """The distributions by their names in small letters, Spindle's own among them."""
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
            continue  # for another system or Python
        wanted += [each for each in map(_required(key), found[key].requires or ()) if each]
    return dict(sorted(found.items()))


def licence_of(package: Distribution) -> str:
    """A package's licence as its metadata names it, in one line."""
    metadata = package.metadata
    classifiers = metadata.get_all("Classifier") or ()
    classified = [each.split(" :: ")[-1] for each in classifiers if each.startswith("License ::")]
    plain = (metadata.get("License") or "").strip().splitlines()
    return metadata.get("License-Expression") or ", ".join(classified) or (plain[0] if plain else "not stated")


def _required(of: str) -> Callable[[str], str]:
    extras = _EXTRAS.get(of, ())

    def required(requirement: str) -> str:
        """The package that a requirement names; empty where it is of an extra that is not shipped."""
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", requirement)
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        return name[0] if name and (extra is None or extra[1] in extras) else ""

    return required


def main() -> int:
    packages = shipped()
    for name, package in packages.items():
        print(f"{name:28} {package.version:16} {licence_of(package)}")
    refused = [
        name
        for name, package in packages.items()
        if _GPL.search(licence_of(package)) and not _LESSER.search(licence_of(package))
    ]
    if refused:
        print(f"these are under the GPL, and can't be shipped: {', '.join(refused)}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
