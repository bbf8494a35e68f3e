"""Importing the package without pyodbc."""

import subprocess
import sys

import pyodbc

_WITHOUT_DRIVER_MANAGER = """
import sys
sys.modules["pyodbc"] = None
from engine.errors import UserError
try:
    import engine.databases.odbc
except UserError as error:
    print(error)
"""


def test_connections_are_not_pooled() -> None:
    import engine.databases.odbc  # noqa: F401 - loading it is what is tried

    assert pyodbc.pooling is False


def test_a_missing_driver_manager_is_the_users_to_mend() -> None:
    said = subprocess.run(
        [sys.executable, "-c", _WITHOUT_DRIVER_MANAGER], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.startswith("the ODBC driver manager")
    assert "install it with: " in said.stdout
