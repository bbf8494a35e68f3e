"""Installs the toy workload as the package of a third party: its files and its metadata with the entry point."""

import shutil
from pathlib import Path

_TOY = Path(__file__).parent / "toy_shops"


def install_toy(folder: Path, *, has_ledger: bool = True) -> None:
    """Copy the package into a folder that will be on ``sys.path``; without a ledger, nothing is recorded."""
    package = folder / "toy_shops"
    shutil.copytree(_TOY, package, ignore=shutil.ignore_patterns("__pycache__"))
    if not has_ledger:
        _cut(package / "user.py", "        self._tally.acknowledged(visit, shop, cents)\n")
        _cut(
            package / "user.py", "                    self._tally.in_doubt(shop, cents)\n", "                    pass\n"
        )
        _cut(package / "calls.py", 'frozenset({"pay"})', "frozenset()")
        _cut(package / "store.py", "recorded=Recorded(", "recorded=None and Recorded(")
    info = folder / "toy_shops-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-shops\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[spindle.workloads]\ntoy = toy_shops.workload:WORKLOAD\n")


def _cut(file: Path, text: str, instead: str = "") -> None:
    source = file.read_text()
    assert text in source, f"{file.name} has changed"
    file.write_text(source.replace(text, instead))
