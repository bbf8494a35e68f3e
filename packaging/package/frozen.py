"""The frozen program: the wheel and its dependencies in one folder, by PyInstaller."""

import subprocess
from pathlib import Path

from icu_data import reduce_icu_data
from tree import BUILD, PACKAGING, commit_time, python_environment, run

# The packages whose modules have debug symbols, which are stripped. Packages with libraries that were moved into the
# wheel are not in the list: strip has broken such files.
_STRIPPED = ("contourpy", "cryptography", "fontTools", "kiwisolver", "msgpack", "sqlalchemy", "yaml")


def freeze(wheel: Path) -> Path:
    """Freeze an installed wheel; returns the program's folder."""
    programs = python_environment("program", f"{wheel}[cluster,winrm]", "pyinstaller")
    run(
        [
            *(programs / "pyinstaller", "--noconfirm", "--log-level", "WARN"),
            *("--distpath", BUILD / "frozen", "--workpath", BUILD / "work"),
            PACKAGING / "freeze" / "spindle.spec",
        ],
        environment={"SOURCE_DATE_EPOCH": commit_time(), "PYTHONHASHSEED": "0"},
    )
    folder = BUILD / "frozen" / "spindle"
    for package in _STRIPPED:
        for module in (folder / "_internal" / package).rglob("*.so"):
            subprocess.run(["strip", "--strip-unneeded", module], check=True)
    for library in (folder / "_internal" / "PySide6").rglob("libicudata.so.*"):
        reduce_icu_data(library, BUILD / "icu")
    return folder
