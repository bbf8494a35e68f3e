import subprocess
import sys

import pytest

from engine.databases import database_of
from engine.errors import BadInput


def test_a_kind_that_is_not_known_is_bad_input() -> None:
    with pytest.raises(BadInput, match="kind 'oracle' is not known"):
        database_of("oracle")


def test_a_driver_is_loaded_only_when_it_is_connected_with() -> None:
    code = "import sys, engine.databases as d; d.database_of('postgresql'); print('psycopg' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.strip() == "False"
