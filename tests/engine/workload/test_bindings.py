"""Which DBMSs a workload can be run on, by the packages that it brings."""

from pathlib import Path

import pytest

from engine.errors import BadInput
from engine.target.kinds import MARIADB, MSSQL, POSTGRESQL
from engine.workloads.bindings import calls_of, is_on, store_of
from tests.engine.workload.toy import toy as toy


def test_a_dbms_that_a_workload_does_not_know_is_refused_by_name(tmp_path: Path, toy: str) -> None:
    package = tmp_path / "toy_bindings" / "postgresql"
    package.mkdir(parents=True)
    (package / "calls.py").write_text("CALLS = 'its calls'")
    assert (is_on(toy, POSTGRESQL), is_on(toy, MARIADB)) == (True, False)
    assert calls_of(toy, POSTGRESQL) == "its calls"
    with pytest.raises(BadInput, match="workload toy can't be run on mssql; choose another target"):
        store_of(toy, MSSQL)
