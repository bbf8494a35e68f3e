"""The system's packages whose libraries are in the frozen program, and those whose libraries it needs in addition."""

import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from accepted import is_accepted
from tree import PACKAGING, run


@cache
def bundled(program: Path) -> dict[str, str]:
    """The packages that the libraries of a frozen program come from, and their versions."""
    names = {each.name for each in (program / "_internal").glob("*.so*") if not each.is_symlink()}
    return {each: run(["dpkg-query", "--show", "--showformat=${Version}", each]) for each in owners(names)}


def needed_beside(files: Iterable[Path]) -> set[str]:
    """The packages of the libraries that programs and libraries need and that are not among them."""
    libraries = list(files)
    listed = run(["readelf", "--wide", "--dynamic", *libraries])
    return set(owners(set(re.findall(r"\(NEEDED\).*\[(.*)\]", listed)) - {each.name for each in libraries}))


def owners(names: Iterable[str]) -> list[str]:
    """The packages that libraries come from, by file name; libraries without a package are left out."""
    patterns = [f"*-linux-gnu/{name}" for name in sorted(names)]
    done = subprocess.run(["dpkg-query", "--search", *patterns], capture_output=True, text=True, check=False)
    return sorted({line.split(":")[0] for line in done.stdout.splitlines()})


def put_licences(program: Path) -> None:
    """Copy the licences of the system's libraries next to the libraries. Raises ``SystemExit`` for one that is not
    accepted."""
    licences = recorded()
    packages = bundled(program)
    if refused := [name for name in packages if not is_accepted(licences.get(plain(name), ""))]:
        raise SystemExit(
            f"make package: libraries of {', '.join(refused)} are in the program, and"
            " packaging/package/system-licences.txt has no licence of theirs that is accepted"
        )
    folder = program / "_internal" / "licences"
    folder.mkdir(exist_ok=True)
    for name in packages:
        shutil.copy(Path("/usr/share/doc", name, "copyright"), folder / f"{name}.txt")


def recorded() -> dict[str, str]:
    """The licences in ``system-licences.txt``, by package."""
    lines = (PACKAGING / "package" / "system-licences.txt").read_text(encoding="utf-8").splitlines()
    return {name: licence for name, _, licence in (line.partition(" ") for line in lines if not line.startswith("#"))}


def plain(package: str) -> str:
    """A package's name as it is recorded."""
    return package.removesuffix("t64")
