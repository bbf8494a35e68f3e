"""What a DBMS is knows no workload: no import of one, and no name of what one is about."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import databases

_FOLDER = Path(str(databases.__file__)).parent
_MODULES = sorted(str(path.relative_to(_FOLDER)) for path in _FOLDER.rglob("*.py"))
# What the DVD Store and Wholesale are about; "order" alone is what rows come in, too.
_WORDS = frozenset({
    "orders", "orderid", "orderlines", "customer", "customers", "customerid", "purchase", "purchases", "prices",
    "browse", "inventory", "restock", "reorder", "products", "warehouse", "warehouses", "district", "districts",
    "payment", "delivery", "stock",
})  # fmt: skip


def _identifiers(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                yield name


@pytest.mark.parametrize("module", _MODULES)
def test_no_name_is_of_a_workload(module: str) -> None:
    names = set(_identifiers(ast.parse((_FOLDER / module).read_text(encoding="utf-8"))))
    found = {name for name in names if _WORDS & set(re.findall(r"[a-z]+", name.lower()))}
    assert found == set()


def test_no_module_imports_a_workload() -> None:
    importing = re.compile(r"^\s*(from|import) engine\.workloads", re.MULTILINE)
    found = [module for module in _MODULES if importing.search((_FOLDER / module).read_text(encoding="utf-8"))]
    assert found == []
