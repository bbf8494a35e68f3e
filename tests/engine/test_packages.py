"""Imports between packages, and the contents of the top level folder."""

import ast
import importlib.util
import pkgutil
import subprocess
import sys
from collections.abc import Iterable
from graphlib import TopologicalSorter
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

import app
import engine
import widgets

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SCREEN = ("PySide6", "click", "rich")
HEAVY = (*SCREEN, "numpy", "sqlalchemy", "alembic", "keyring")
HOT_MODULES = (
    "app.__main__",
    "engine.databases.postgresql.session",
    "engine.driver.client_process",
    "engine.workloads.dvdstore.sizing",
    "engine.workloads.dvdstore.user",
    "engine.workloads.dvdstore.bindings.postgresql.calls",
    "engine.workloads.wholesale.user",
    "engine.workloads.wholesale.bindings.mariadb.calls",
    "engine.workloads.wholesale.bindings.postgresql.calls",
    "engine.errors",
    "engine.histogram",
    "engine.plan.plan",
    "engine.record.record",
    "engine.telemetry.sample",
    "engine.secrets",
    "engine.target.target",
)
MODULES = {
    module.name
    for package in (app, engine, widgets)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", onerror=lambda _: None)
    if "migrations" not in module.name  # alembic loads those, with a database at hand
}
ENGINE_MODULES = {name for name in MODULES if name.startswith("engine.")}
TOP_LEVEL = {
    "app",
    "widgets",
    "engine",
    "resources",
    "tests",
    "packaging",
    "pyproject.toml",
    "README.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "CHANGELOG.md",
}


def _loaded_with(modules: Iterable[str], suspects: Iterable[str]) -> list[str]:
    """Which of the suspects a fresh interpreter has loaded once it has loaded the modules."""
    code = f"import sys, {', '.join(modules)}; print(*(set(sys.modules) & {set(suspects)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def _imports_of(module: str) -> set[str]:
    """Our modules that a module imports, also in functions or for annotations alone, with the packages of these which
    do not contain the module itself."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    named: set[str] = set()
    waiting: list[ast.AST] = []
    if isinstance(spec.loader, SourceFileLoader):  # what is compiled imports nothing of ours
        waiting = [ast.parse(spec.loader.get_data(spec.loader.path))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            named.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            modules = (f"{node.module}.{alias.name}" for alias in node.names)
            named.update(each if each in MODULES else str(node.module) for each in modules)
        else:
            waiting += ast.iter_child_nodes(node)
    packages = {each.rsplit(".", levels)[0] for each in named for levels in range(1, each.count(".") + 1)}
    outside = {each for each in packages if not f"{module}.".startswith(f"{each}.")}
    return (named | outside) & MODULES


def test_no_two_modules_know_each_other() -> None:
    tuple(TopologicalSorter({module: _imports_of(module) for module in MODULES}).static_order())


def test_the_engine_loads_no_screen() -> None:
    assert _loaded_with(ENGINE_MODULES, SCREEN) == []


def test_client_processes_import_no_heavy_modules() -> None:
    assert _loaded_with(HOT_MODULES, HEAVY) == []


def test_a_run_loads_load_machines_and_odbc_only_when_its_plan_needs_them() -> None:
    """A PostgreSQL run without load machines works where neither ODBC nor the extra ``cluster`` is installed."""
    suspects = ("engine.cluster.connection", "engine.cluster.load_machines", "distributed", "cryptography", "pyodbc")
    assert _loaded_with(["engine.conduct.conductor"], suspects) == []


def test_packaging_does_not_shadow_the_library_of_that_name() -> None:
    assert (ROOT / "packaging").is_dir()
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_top_level_contains_only_listed_names() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    top = {path.split("/")[0] for path in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith(".")} <= TOP_LEVEL
