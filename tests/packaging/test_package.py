"""What a release is made of; `make package` and `make package-test` build and try it."""

import configparser
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest

from app.cli.main import spindle

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def manual() -> str:
    page: str = script("package/manual.py")["manual_page"]()
    return page


@pytest.fixture
def release_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts of ``make package`` as modules."""
    monkeypatch.syspath_prepend(PACKAGING / "package")


def script(name: str) -> Mapping[str, Any]:
    return runpy.run_path(str(PACKAGING / name))


def commands(group: click.Group, context: click.Context) -> list[click.Context]:
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        own = click.Context(command, info_name=name, parent=context)
        found += [own, *(commands(command, own) if isinstance(command, click.Group) else [])]
    return found


def test_the_manual_page_has_every_command_with_its_options(manual: str) -> None:
    sections = dict(
        re.findall(r'^\.SS "(spindle[a-z0-9\\ -]*?)(?: [\[A-Z{(].*?)?"\n(.*?)(?=^\.S[SH]|\Z)', manual, re.M | re.S)
    )
    found = commands(spindle, click.Context(spindle, info_name="spindle"))
    assert len(found) > 50
    for context in found:
        section = sections[context.command_path.replace("-", r"\-")]
        for parameter in context.command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.opts[-1].replace("-", r"\-") in section, (context.command_path, parameter.opts)


def test_no_line_of_the_manual_page_is_a_macro_by_chance(manual: str) -> None:
    macros = {line.split()[0] for line in manual.splitlines() if line.startswith((".", "'"))}
    assert macros == {".TH", ".SH", ".SS", ".B", ".PP", ".TP", ".nf", ".fi"}


def test_the_desktop_entry_and_its_description_name_what_is_installed() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(PACKAGING / "linux/spindle.desktop", encoding="utf-8")
    entry = parser["Desktop Entry"]
    assert entry["Exec"] in PROJECT["project"]["scripts"]
    assert (ROOT / "resources" / f"{entry['Icon']}.svg").is_file()
    described = ElementTree.parse(PACKAGING / "linux/spindle.metainfo.xml")
    assert described.findtext("launchable") == "spindle.desktop"
    assert described.findtext("project_license") == PROJECT["project"]["license"]


def test_every_file_that_is_read_is_in_the_wheel() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "resources", "engine"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    lost = []
    for name in listed.stdout.splitlines():
        path = Path(name)
        package = next((each for each in patterns if path.is_relative_to(each.replace(".", "/"))), None)
        if path.suffix in (".py", ".c", ".h"):
            continue
        inside = path.relative_to(package.replace(".", "/")).as_posix() if package else ""
        if not any(fnmatch(inside, each.removeprefix("**/")) for each in patterns.get(package, ())):
            lost.append(name)
    assert not lost


def test_what_the_frozen_program_leaves_out_is_none_of_ours() -> None:
    is_left_out = script("freeze/left_out.py")["is_left_out"]
    kept = [path.relative_to(ROOT).as_posix() for path in (ROOT / "resources").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if is_left_out(path)]
    assert is_left_out("PySide6/Qt/translations/qtbase_de.qm")
    assert is_left_out(r"matplotlib\mpl-data\sample_data\a.csv")
    assert not is_left_out("matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf")


def test_no_package_that_is_shipped_is_under_the_gpl() -> None:
    done = subprocess.run(
        [sys.executable, PACKAGING / "package/licences.py"], capture_output=True, text=True, check=True
    )
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert {"spindle", "numpy", "psycopg-binary", "pyside6-essentials"} <= set(names)
    assert not {"pytest", "mypy", "mssql-python-odbc"} & set(names)
    assert "not stated" not in done.stdout


@pytest.mark.parametrize(
    ("licence", "is_accepted"),
    [
        ("MIT", True),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", True),
        ("BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0", True),
        ("GNU Lesser General Public License v3 (LGPLv3)", True),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", True),
        ("GPL-3.0-or-later", False),
        ("GNU General Public License v3 (GPLv3)", False),
        ("MIT AND GPL-2.0-only", False),
        ("Proprietary", False),
        ("not stated", False),
        ("", False),
    ],
)
def test_a_licence_is_shipped_only_if_it_allows_that(licence: str, is_accepted: bool) -> None:
    assert script("package/accepted.py")["is_accepted"](licence) is is_accepted


def test_a_package_without_an_accepted_licence_stops_the_making_of_a_release(tmp_path: Path) -> None:
    described = tmp_path / "spindle-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: spindle\nVersion: 1\nLicense-Expression: GPL-3.0-only\n"
    )
    done = subprocess.run(
        [sys.executable, PACKAGING / "package/licences.py"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "these have no licence that is accepted, and can't be shipped: spindle" in done.stderr


@pytest.mark.usefixtures("release_scripts")
def test_every_library_of_the_system_that_is_recorded_may_be_shipped() -> None:
    from accepted import is_accepted
    from system_libraries import plain, recorded

    licences = recorded()
    assert licences["libodbc2"] == "LGPL-2.1-or-later"
    assert not [name for name, licence in licences.items() if not is_accepted(licence)]
    assert "libreadline8" not in licences, "it is under the GPL"
    assert licences[plain("libglib2.0-0t64")] == licences["libglib2.0-0"]


@pytest.mark.usefixtures("release_scripts")
@pytest.mark.skipif(sys.platform != "linux", reason="make package builds on Linux")
def test_the_reduced_data_of_icu_sort_as_all_of_them(tmp_path: Path) -> None:
    """By Qt in a process of its own, which is given the smaller library."""
    from icu_data import reduce_icu_data
    from PySide6.QtCore import QLibraryInfo

    original = next(Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.LibrariesPath)).glob("libicudata.so.*"))
    library = Path(shutil.copy(original, tmp_path))
    reduce_icu_data(library, tmp_path / "work")
    assert library.stat().st_size < original.stat().st_size / 5
    sorts = (
        "from PySide6.QtCore import QCollator, QLocale\n"
        "for name in ('de', 'sv', 'cs', 'es', 'ja'):\n"
        "    collator = QCollator(QLocale(name)); collator.setNumericMode(True)\n"
        "    words = '10 9 Zoe ähre cz ch ñu nz 日本 中国'.split()\n"
        "    print(ascii(sorted(words, key=collator.sortKey)))\n"
    )
    sorted_by = [
        subprocess.run(
            [sys.executable, "-c", sorts],
            env=os.environ | {"LD_LIBRARY_PATH": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        for folder in (original.parent, tmp_path)
    ]
    assert sorted_by[1].stdout == sorted_by[0].stdout
    assert sorted_by[1].stderr == "", "Qt says so when it finds no collation"
    orders = sorted_by[0].stdout.splitlines()
    assert len(set(orders)) > 1


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.M)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", each) for each in headings[1:])
