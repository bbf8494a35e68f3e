"""The help pages for developers: what they list is what the code has."""

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import app
import engine
import widgets
from engine.audit.ledger import FORMAT, MAGIC, End
from engine.databases.database import Database, Prober, Store
from engine.errors import ErrorClass
from engine.library.tables import metadata
from engine.plan.plain import FORMAT_VERSION
from engine.record.record import RunState
from engine.report.result import csv_columns
from engine.telemetry.event import EventCode, EventKind
from resources import folder_of, read_text

PAGES = ("architecture", "adding-a-database", "adding-a-workload", "adding-an-injection", "file-formats", "glossary")
FORMATS = read_text("help", "file-formats.md")


def quoted(page: str) -> set[str]:
    """Everything that stands in a page as code."""
    return set(re.findall(r"`([^`\n]+)`", page))


def packages_below(root: Path) -> list[Path]:
    return [path.parent.relative_to(root.parent) for path in sorted(root.glob("*/__init__.py"))]


@pytest.mark.parametrize("package", [app, engine, widgets], ids=lambda package: str(package.__name__))
def test_every_package_is_in_the_architecture(package: ModuleType) -> None:
    root = Path(str(package.__file__)).parent
    named = quoted(read_text("help", "architecture.md"))
    assert [str(path) for path in packages_below(root) if f"{path.as_posix()}/" not in named] == []


def test_every_code_and_kind_of_event_is_listed() -> None:
    listed = quoted(FORMATS)
    assert {code.value for code in EventCode if code.value} - listed == set()
    assert {kind.value for kind in EventKind} - listed == set()
    assert {state.value for state in RunState} - listed == set()
    assert {error.value for error in ErrorClass} - listed == set()


def test_the_data_of_each_code_is_that_of_its_comment() -> None:
    """The comments in the enumeration name the data; the page has the same names beside the code."""
    rows = [line for line in FORMATS.splitlines() if line.startswith("| `")]
    checked = 0
    for line in inspect.getsource(EventCode).splitlines():
        if match := re.match(r"    [A-Z_]+ = \"([a-z ]+)\"  # ([a-z_, ]+)$", line):
            names = set(match[2].split(", "))
            if all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in names):
                row = next(row for row in rows if f"`{match[1]}`" in row)
                assert names <= quoted(row), match[1]
                checked += 1
    assert checked > 4


def test_every_column_is_listed() -> None:
    listed = quoted(FORMATS)
    assert set(csv_columns("dvdstore")) - listed == set()
    rows = {name: row for row in FORMATS.splitlines() for name in quoted(row.split("|")[1] if "|" in row else "")}
    of_samples = set(csv_columns("dvdstore"))
    for table in metadata.tables.values():
        named = quoted(rows[table.name]) | (of_samples if table.name == "samples" else set())
        assert {column.name for column in table.columns} - named == set(), table.name


def test_the_formats_numbers_are_those_of_the_code() -> None:
    assert f"`format_version`, now {FORMAT_VERSION};" in FORMATS
    assert f"a format number, now {FORMAT};" in FORMATS
    assert MAGIC.decode() in quoted(FORMATS)
    for end in End:
        assert f"{end.value} {end.name.lower()}" in FORMATS


def test_every_method_of_the_protocols_is_named() -> None:
    page = read_text("help", "adding-a-database.md")
    rows = {name: line for line in page.splitlines() if line.startswith("| `") for name in quoted(line.split("|")[1])}
    for protocol in (Database, Store, Prober):
        methods = {name for name in vars(protocol) if not name.startswith("_")} - {"close"}
        assert methods - quoted(rows[protocol.__name__]) == set(), protocol.__name__


@pytest.mark.parametrize("page", PAGES)
def test_links_and_pictures_of_a_page_are_there(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", read_text("help", f"{page}.md")):
        assert (folder_of("help") / target).is_file(), target
