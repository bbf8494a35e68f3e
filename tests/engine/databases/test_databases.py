import subprocess
import sys

import pytest

from engine.databases import database_of
from engine.errors import BadInput


def test_a_kind_that_is_not_known_is_bad_input() -> None:
    with pytest.raises(BadInput, match="kind 'oracle' is no database"):
        database_of("oracle")


@pytest.mark.parametrize(
    ("kind", "driver"), [("postgresql", "psycopg"), ("mariadb", "pyodbc"), ("mysql", "pyodbc"), ("mssql", "pyodbc")]
)
def test_a_driver_is_loaded_only_when_it_is_connected_with(kind: str, driver: str) -> None:
    code = f"import sys, engine.databases as d; d.database_of({kind!r}); print({driver!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
