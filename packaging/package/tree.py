"""The project's folders, and helpers to run programs."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
BUILD = ROOT / "build" / "package"
DIST = ROOT / "dist"


def run(command: Sequence[str | Path], *, cwd: Path = ROOT, environment: Mapping[str, str] | None = None) -> str:
    """Run a program; returns its standard output. Raises ``SystemExit`` with the end of its messages when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | (environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise SystemExit(f"{said}\nmake package: {command[0]} failed with exit code {done.returncode}")
    return done.stdout


def commit_time() -> str:
    """When the last commit was made, in seconds since the epoch: the time of every file of a release."""
    return run(["git", "log", "-1", "--format=%ct"]).strip()


def megabytes(path: Path) -> float:
    """The size of a file, or of all files of a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files if each.is_file() and not each.is_symlink()) / 1e6


def python_environment(name: str, *packages: str) -> Path:
    """The folder of programs (``bin``) of a fresh environment with these packages, at the versions of the
    constraints."""
    folder = BUILD / name
    run(["/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3", "-m", "venv", "--clear", folder])
    programs = folder / "bin"
    run([programs / "pip", "install", "-q", "--no-compile", "-c", PACKAGING / "constraints.txt", *packages])
    return programs
