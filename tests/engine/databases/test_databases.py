import subprocess
import sys

import pytest

from engine.databases import database_of
from engine.errors import BadInput


def test_a_kind_that_is_not_known_is_bad_input() -> None:
    with pytest.raises(BadInput, match="kind 'oracle' is no database"):
        database_of("oracle")


def test_a_driver_is_loaded_only_when_it_is_connected_with() -> None:
    code = "import sys, engine.databases as d; d.database_of('postgresql'); print('psycopg' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("kind", "maintenance_database"),
    [("mariadb", "information_schema"), ("mysql", "information_schema"), ("mssql", "master")],
)
def test_each_kind_has_its_database_and_loads_no_driver_to_know_it(kind: str, maintenance_database: str) -> None:
    looked = f"d.database_of({kind!r}).maintenance_database"
    code = f"import sys, engine.databases as d; print({looked}, 'pyodbc' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == [maintenance_database, "False"]
