"""The files of an installed Spindle below a root, as Linux distributions lay them out."""

import gzip
import os
import shutil
from functools import cache
from pathlib import Path

from tree import BUILD, PACKAGING, ROOT, run

_COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/spindle",
    "fish": "usr/share/fish/vendor_completions.d/spindle.fish",
    "zsh": "usr/share/zsh/vendor-completions/_spindle",
}


@cache
def version_of(program: Path) -> str:
    """The version that a frozen program says it has."""
    return run([program / "spindle", "--version"]).split()[-1]


def installed_tree(program: Path, root: Path) -> None:
    """Lay out the program, its command, desktop entry, AppStream data, icon, manual page and shells' completion."""
    shutil.copytree(program, root / "usr/lib/spindle", symlinks=True)
    (root / "usr/bin").mkdir()
    os.symlink("../lib/spindle/spindle", root / "usr/bin/spindle")
    run(["desktop-file-validate", PACKAGING / "linux/spindle.desktop"])
    _copy(PACKAGING / "linux/spindle.desktop", root / "usr/share/applications/spindle.desktop")
    _copy(PACKAGING / "linux/spindle.metainfo.xml", root / "usr/share/metainfo/spindle.metainfo.xml")
    _copy(ROOT / "resources/spindle.svg", root / "usr/share/icons/hicolor/scalable/apps/spindle.svg")
    _copy(ROOT / "LICENSE", root / "usr/share/doc/spindle/copyright")
    manual = run([BUILD / "program/bin/python", PACKAGING / "package/manual.py"])
    _write(root / "usr/share/man/man1/spindle.1.gz", gzip.compress(manual.encode(), mtime=0))
    for shell, place in _COMPLETIONS.items():
        _write(root / place, run([program / "spindle", "completion", shell]).encode())


def _copy(source: Path, to: Path) -> None:
    _write(to, source.read_bytes())


def _write(to: Path, content: bytes) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)
    to.chmod(0o644)
