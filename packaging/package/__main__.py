"""Builds the files of a release in ``dist``: ``make package``.

Sdist and wheel, built twice and compared; the program frozen from that wheel, as an archive, a Debian package and an
AppDir; an SBOM, the licences of everything shipped, checksums. Prints the seconds and the megabytes of each.
"""

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from distributions import build_appdir, build_archive, build_debian
from frozen import freeze
from tree import DIST, megabytes
from trust import write_checksums, write_licences, write_sbom
from wheels import build_wheel

LARGEST_MB = 300


def main() -> int:
    if sys.platform != "linux":
        sys.exit("make package: builds for Linux; packaging/README.md has the recipes for other systems.")
    if DIST.exists():
        shutil.rmtree(DIST)
    DIST.mkdir()
    wheel = _timed("wheel, built twice", build_wheel)
    program = _timed("frozen program", lambda: freeze(wheel))
    _timed("licences", lambda: write_licences(program))
    _timed("archive", lambda: build_archive(program))
    _timed("Debian package", lambda: build_debian(program))
    _timed("AppDir", lambda: build_appdir(program))
    _timed("SBOM", lambda: write_sbom(program))
    _timed("checksums", write_checksums)
    size_mb = megabytes(program)
    if size_mb > LARGEST_MB:
        print(f"the program takes {size_mb:.0f} MB unpacked, and must not take more than {LARGEST_MB}", file=sys.stderr)
        return 1
    return 0


def _timed(what: str, build: Callable[[], Path]) -> Path:
    began = time.monotonic()
    made = build()
    print(f"{what:20} {time.monotonic() - began:5.0f} s  {megabytes(made):6.1f} MB  {made}", flush=True)
    return made


if __name__ == "__main__":
    sys.exit(main())
