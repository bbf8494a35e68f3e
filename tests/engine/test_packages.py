"""Imports between packages, and the contents of the top level folder."""

import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import engine

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
ENGINE_MODULES = tuple(
    module.name
    for module in pkgutil.walk_packages(engine.__path__, "engine.", onerror=lambda _: None)
    if "migrations" not in module.name  # alembic loads those, with a database at hand
)
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


LIBRARIES = ("alembic", "numpy", "psutil", "psycopg", "pyodbc", "sqlalchemy")
_LOAD_EACH = """
import gc, importlib, os, sys
import {libraries}

def load(module):
    importlib.import_module(module)
    found = set(sys.modules) & {screen}
    if found:
        raise ImportError(f"{{module}} loads {{found}}")

gc.disable()  # a collection in a child would copy what it shares
good = 0
for module in {modules}:
    if child := os.fork():
        good += os.waitpid(child, 0)[1] == 0
    else:
        try:
            load(module)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
print(good)
"""


def _loaded_with(module: str, suspects: Iterable[str]) -> list[str]:
    """Which of the suspects a fresh interpreter has loaded once it has loaded the module."""
    code = f"import sys, {module}; print(*(set(sys.modules) & {set(suspects)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_every_engine_module_loads_alone_and_without_a_screen() -> None:
    """Each in a process of its own, in which nothing of ours is loaded before; what others wrote is, to save time."""
    code = _LOAD_EACH.format(libraries=", ".join(LIBRARIES), modules=ENGINE_MODULES, screen=set(SCREEN))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{len(ENGINE_MODULES)}\n", "")


@pytest.mark.parametrize("module", HOT_MODULES)
def test_client_process_imports_no_heavy_modules(module: str) -> None:
    assert _loaded_with(module, HEAVY) == []


def test_import_contracts_are_complete() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_packaging_does_not_shadow_the_library_of_that_name() -> None:
    assert (ROOT / "packaging").is_dir()
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_top_level_contains_only_listed_names() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    top = {path.split("/")[0] for path in listed.stdout.splitlines()}
    assert {name for name in top if not name.startswith(".")} <= TOP_LEVEL
