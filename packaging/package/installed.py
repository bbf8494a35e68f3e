"""The files of an installed Spindle below a root, as Linux distributions lay them out."""

import gzip
import os
import shutil
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

from tree import BUILD, PACKAGING, ROOT, commit_time, run

_COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/spindle",
    "fish": "usr/share/fish/vendor_completions.d/spindle.fish",
    "zsh": "usr/share/zsh/vendor-completions/_spindle",
}


@cache
def version_of(program: Path) -> str:
    """The version that a frozen program reports."""
    return run([program / "spindle", "--version"]).split()[-1]


def installed_tree(program: Path, root: Path) -> None:
    """Lay out the program, its command, desktop entry, AppStream data, icon, manual page and shells' completion."""
    shutil.copytree(program, root / "usr/lib/spindle", symlinks=True)
    (root / "usr/bin").mkdir()
    os.symlink("../lib/spindle/spindle", root / "usr/bin/spindle")
    run(["desktop-file-validate", PACKAGING / "linux/spindle.desktop"])
    _copy(PACKAGING / "linux/spindle.desktop", root / "usr/share/applications/spindle.desktop")
    _write_metainfo(root / "usr/share/metainfo/spindle.metainfo.xml", version_of(program))
    _copy(ROOT / "resources/spindle.svg", root / "usr/share/icons/hicolor/scalable/apps/spindle.svg")
    _copy(ROOT / "LICENSE", root / "usr/share/doc/spindle/copyright")
    _copy(program / "LICENCES.txt", root / "usr/share/doc/spindle/LICENCES.txt")
    manual = run([BUILD / "program/bin/python", PACKAGING / "package/manual.py"])
    _write(root / "usr/share/man/man1/spindle.1.gz", gzip.compress(manual.encode(), mtime=0))
    for shell, place in _COMPLETIONS.items():
        _write(root / place, run([program / "spindle", "completion", shell]).encode())


def _write_metainfo(to: Path, version: str) -> None:
    """The AppStream data with this release in them, checked."""
    text = (PACKAGING / "linux/spindle.metainfo.xml").read_text(encoding="utf-8")
    date = datetime.fromtimestamp(int(commit_time()), UTC).date()
    release = f'  <releases>\n    <release version="{escape(version)}" date="{date}"/>\n  </releases>\n</component>'
    _write(to, text.replace("</component>", release).encode())
    # The id can't begin with a reversed domain name, since Spindle has no domain.
    run(["appstreamcli", "validate", "--no-net", "--override=cid-desktopapp-is-not-rdns=info", to])


def _copy(source: Path, to: Path) -> None:
    _write(to, source.read_bytes())


def _write(to: Path, content: bytes) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)
    to.chmod(0o644)
