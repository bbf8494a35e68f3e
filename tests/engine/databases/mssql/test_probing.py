import pytest

from engine.databases.database import ProbeAnswer
from engine.databases.mssql.probing import prober
from engine.databases.odbc import prober as prober_module
from engine.errors import ErrorClass, TargetError
from engine.secrets import Secret
from engine.target.target import Target
from tests.doubles.recorded_sql_server import RecordedSqlServer, odbc_error

_PROBE = "sp_addextendedproperty"
_WITHIN_SECONDS = 60.0
_SECRET = Secret("horse battery staple")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine does not cost a prober its connection."""
    monkeypatch.setattr(prober_module, "LEAST_PATIENCE_SECONDS", 60.0)


@pytest.mark.parametrize("takes_writes", [True, False])
def test_probe_queries_master_and_identifies_the_server(
    recorded: RecordedSqlServer, target: Target, takes_writes: bool
) -> None:
    recorded.answers(_PROBE, None, [(takes_writes, "SQL1 2026-11-21T10:00:00")])
    asked = prober(target, target.hosts[1], _SECRET)
    for _ in range(2):
        answer = asked.probe(_WITHIN_SECONDS)
        assert answer == ProbeAnswer(takes_writes=takes_writes, server="SQL1 2026-11-21T10:00:00")
    asked.close()
    (text,) = recorded.connection_strings
    assert "Database=master;" in text
    assert f"Server=tcp:127.0.0.1,{target.hosts[1].port};" in text
    assert [sent.values for sent in recorded.sent if _PROBE in sent.statement] == [("shop",), ("shop",)]


def test_the_question_is_a_commit_in_the_store_that_leaves_nothing_behind(
    recorded: RecordedSqlServer, target: Target
) -> None:
    recorded.answers(_PROBE, [(True, "SQL1")])
    asked = prober(target, target.hosts[0], _SECRET)
    asked.probe(_WITHIN_SECONDS)
    asked.close()
    question = recorded.statements()[-1]
    order = ["BEGIN TRANSACTION", "EXEC @add", "EXEC @drop", "COMMIT TRANSACTION", "AS takes_writes"]
    assert sorted(order, key=question.index) == order
    assert not any(word in question for word in ("INSERT", "UPDATE ", "DELETE"))


def test_refusing_host_raises_and_is_probed_over_a_new_connection(recorded: RecordedSqlServer, target: Target) -> None:
    recorded.answers(_PROBE, error=odbc_error(("08S01", 10054, "Communication link failure")), dies=True)
    asked = prober(target, target.hosts[0], _SECRET)
    with pytest.raises(TargetError) as caught:
        asked.probe(_WITHIN_SECONDS)
    assert caught.value.error_class is ErrorClass.CONNECTION_LOST
    recorded.answers(_PROBE, [(True, "SQL1 later")])
    assert asked.probe(_WITHIN_SECONDS) == ProbeAnswer(takes_writes=True, server="SQL1 later")
    asked.close()
    assert len(recorded.connections) == 2
