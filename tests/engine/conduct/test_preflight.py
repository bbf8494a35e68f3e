"""The checks of a plan's targets before a run, on a real server."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.conduct.endpoint import Endpoint, errors_as_planned, state_or_none
from engine.conduct.preflight import Preflight, check_plan
from engine.databases import database_of
from engine.databases.database import ServerInfo, Store, Timeouts
from engine.databases.progress import Progress
from engine.errors import Remedy, RemedyKind, UserError
from engine.lab.server import EmbeddedServer
from engine.plan.plan import RunPlan
from engine.secrets import Secret
from engine.target.target import EMBEDDED, POSTGRESQL, Host, Target
from engine.workload.registry import DVD_STORE
from engine.workloads.dvdstore.sizing import DbSize
from tests.engine.conftest import SIZE, BuiltStore
from tests.texts import lacks

TIMEOUTS = Timeouts(connect_seconds=5.0)


def check(plan: RunPlan, secret: Secret | None, told: list[Progress] | None = None) -> Preflight:
    report_progress = (told if told is not None else []).append
    return check_plan(
        plan,
        lambda target: Endpoint(target, secret),
        TIMEOUTS,
        report_progress=report_progress,
        cancelled=lambda: False,
    )


def refusal(target: Target, secret: Secret | None, **fields: Any) -> str:
    """The one sentence with which a plan for a target is refused."""
    with pytest.raises(UserError) as refused:
        check(RunPlan(targets=(target,), **fields), secret)
    text = str(refused.value)
    assert "\n" not in text
    if secret is not None:
        assert secret.reveal() not in text
    return text


def test_a_plan_takes_the_size_that_is_built(built_store: BuiltStore) -> None:
    told: list[Progress] = []

    found = check(RunPlan(targets=(built_store.target,)), built_store.secret, told)

    assert found.plan.scale == SIZE
    (checked,) = found.stores.values()
    assert checked.planned == built_store.target
    assert checked.state.complete
    assert checked.server.product == "PostgreSQL"
    assert [step.doing for step in told] == ["checking driven"]


def test_description_has_no_password(built_store: BuiltStore) -> None:
    (checked,) = check(RunPlan(targets=(built_store.target,)), built_store.secret).stores.values()

    described = checked.describe()

    assert described["target"] == built_store.target.url
    assert described["store"]["size"] == "1MB"
    assert described["settings"]["server_encoding"] == "UTF8"
    assert described["driver"] == database_of(POSTGRESQL).driver(built_store.target)
    assert built_store.secret.reveal() not in repr(checked) + repr(described)


def test_different_store_size_is_refused(built_store: BuiltStore) -> None:
    text = refusal(built_store.target, built_store.secret, parameters={"db_size": DbSize(2, "MB")})

    assert text.startswith("Database 'driven' on 127.0.0.1:")
    assert "holds a 1MB store, and the plan expects one of 2MB; use 1MB as the size, or rebuild" in text


def test_stores_of_different_sizes_are_refused(
    built_store: BuiltStore, build_store: Callable[[str], BuiltStore]
) -> None:
    other = build_store("driven_larger")
    other.store.build(str(DbSize(2, "MB")), 1, replace=True, report_progress=lambda _: None, cancelled=lambda: False)

    with pytest.raises(UserError, match=r"differ in size \(driven: 1MB, driven_larger: 2MB\)"):
        check(RunPlan(targets=(built_store.target, other.target)), built_store.secret)


def test_a_missing_database_is_refused_and_can_be_built(built_store: BuiltStore) -> None:
    nowhere = built_store.target.with_database("nowhere")
    with pytest.raises(UserError, match=r"Database 'nowhere' does not exist on 127\.0\.0\.1:") as refused:
        check(RunPlan(targets=(nowhere,)), built_store.secret)

    assert refused.value.remedy == Remedy(kind=RemedyKind.BUILD_STORE, target=nowhere.url, workload=DVD_STORE)


def test_a_database_without_a_store_is_refused(built_store: BuiltStore) -> None:
    text = refusal(built_store.target.with_database("postgres"), built_store.secret)

    assert "Database 'postgres' on 127.0.0.1:" in text
    assert "holds no store; build it first" in text


def test_a_partly_built_store_is_refused(build_store: Callable[[str], BuiltStore]) -> None:
    partly = build_store("partly")
    with partly.connect() as connection:
        connection.execute("UPDATE spindle_store SET state = 'building'")

    assert "holds a store that is only partly built; build it again" in refusal(partly.target, partly.secret)


def test_a_wrong_password_is_refused(built_store: BuiltStore) -> None:
    text = refusal(built_store.target, Secret("not the password"))

    assert "rejected user 'postgres'" in text
    assert "check the user and the password" in text


def test_a_refused_connection_names_host_and_port() -> None:
    target = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="me", tls="disable")

    assert refusal(target, None) == (
        "Host 127.0.0.1 refused the connection on port 1. Is PostgreSQL running there and listening?"
    )


@dataclass
class Standby:
    """The endpoint of a store whose server says that it is a standby."""

    endpoint: Endpoint

    @property
    def target(self) -> Target:
        return self.endpoint.target

    @property
    def timeouts(self) -> Timeouts:
        return self.endpoint.timeouts

    def store(self, timeouts: Timeouts, workload: str) -> "StandbyStore":
        return StandbyStore(self.endpoint.store(timeouts, workload))


class StandbyStore:
    def __init__(self, store: Store) -> None:
        self.state = store.state
        self._store = store

    def server(self) -> ServerInfo:
        return replace(self._store.server(), writable=False)


def test_a_standby_is_refused(built_store: BuiltStore) -> None:
    standby: Any = Standby(Endpoint(built_store.target, built_store.secret))

    with pytest.raises(UserError, match=r"accepts no writes: it is a standby; name the primary"):
        check_plan(
            RunPlan(targets=(built_store.target,)),
            lambda _: standby,
            TIMEOUTS,
            report_progress=lambda _: None,
            cancelled=lambda: False,
        )


@dataclass(frozen=True)
class Guarded:
    """An endpoint whose store has an account of its own for the load."""

    endpoint: Endpoint

    @property
    def target(self) -> Target:
        return self.endpoint.target

    @property
    def timeouts(self) -> Timeouts:
        return self.endpoint.timeouts

    def store(self, timeouts: Timeouts, workload: str) -> "GuardedStore":
        return GuardedStore(self.endpoint.store(timeouts, workload))


class GuardedStore:
    def __init__(self, store: Store) -> None:
        self.state = store.state
        self.server = store.server

    def load_account(self) -> tuple[str, Secret]:
        return "spindle_driven", Secret("made now")


def test_load_uses_the_stores_own_account(built_store: BuiltStore) -> None:
    guarded: Any = Guarded(Endpoint(built_store.target, built_store.secret))

    found = check_plan(
        RunPlan(targets=(built_store.target,)),
        lambda _: guarded,
        TIMEOUTS,
        report_progress=lambda _: None,
        cancelled=lambda: False,
    )

    (checked,) = found.stores.values()
    assert checked.endpoint == guarded
    assert checked.load == Endpoint(built_store.target.with_user("spindle_driven"), Secret("made now"))
    described = checked.describe()
    assert lacks(described["load_account"], "spindle_driven", "only execute") == []
    assert "made now" not in repr(described)


def test_load_uses_the_targets_account_without_a_store_account(built_store: BuiltStore) -> None:
    (checked,) = check(RunPlan(targets=(built_store.target,)), built_store.secret).stores.values()

    assert checked.load == checked.endpoint
    user = built_store.target.user
    assert lacks(checked.describe()["load_account"], user, "target's own account") == []


def test_every_store_is_looked_at_once(built_store: BuiltStore) -> None:
    told: list[Progress] = []

    found = check(RunPlan(targets=(built_store.target, built_store.target), clients=2), built_store.secret, told)

    assert len(found.stores) == 1
    assert len(told) == 1


def test_a_store_that_the_embedded_server_lacks_is_built(embedded_server: EmbeddedServer) -> None:
    planned = Target(kind=EMBEDDED, database="made by preflight")
    endpoint = Endpoint(embedded_server.target(planned.database), embedded_server.secret)
    plan = RunPlan(targets=(planned,), seed=7, parameters={"db_size": SIZE})
    told: list[Progress] = []
    assert state_or_none(endpoint.store(TIMEOUTS, DVD_STORE)) is None

    found = check_plan(plan, lambda _: endpoint, TIMEOUTS, report_progress=told.append, cancelled=lambda: False)

    (checked,) = found.stores.values()
    assert checked.planned == planned
    assert checked.describe()["driver"] == database_of(POSTGRESQL).driver(endpoint.target)
    assert (checked.state.scale, checked.state.seed, checked.state.is_pristine) == (str(SIZE), 7, True)
    assert len(told) > 3
    told.clear()
    assert (
        check_plan(plan, lambda _: endpoint, TIMEOUTS, report_progress=told.append, cancelled=lambda: False).plan
        == found.plan
    )
    assert len(told) == 1


@pytest.mark.parametrize(
    ("database", "told"),
    [
        ("not there", "Database 'not there' does not exist on the embedded server; "),
        ("postgres", "Database 'postgres' holds no store; "),
    ],
)
def test_remedy_for_the_embedded_server_has_no_port(embedded_server: EmbeddedServer, database: str, told: str) -> None:
    planned = Target(kind=EMBEDDED, database=database)
    endpoint = Endpoint(embedded_server.target(database), embedded_server.secret)

    with pytest.raises(UserError) as refused, errors_as_planned(planned, endpoint, DVD_STORE):
        endpoint.store(TIMEOUTS, DVD_STORE).verify(report_progress=lambda _: None, cancelled=lambda: False)

    assert str(refused.value).startswith(told)
    assert refused.value.remedy == Remedy(kind=RemedyKind.BUILD_STORE, target=planned.url, workload=DVD_STORE)
    assert planned.url.startswith("embedded:///")


def test_error_of_the_embedded_server_has_no_port() -> None:
    planned = Target(kind=EMBEDDED)
    closed = Target(kind=POSTGRESQL, hosts=(Host("127.0.0.1", 1),), database="ds2", user="me", tls="disable")

    with pytest.raises(UserError) as refused, errors_as_planned(planned, Endpoint(closed, None), DVD_STORE):
        Endpoint(closed, None).store(TIMEOUTS, DVD_STORE).server()

    assert str(refused.value).startswith("The embedded server refused the connection. ")
    assert "127.0.0.1" not in str(refused.value)


def test_other_connection_errors_are_reported_unchanged(embedded_server: EmbeddedServer) -> None:
    endpoint = Endpoint(embedded_server.target("ds2"), Secret("wrong"))

    with pytest.raises(UserError, match="rejected user"):
        check_plan(
            RunPlan(targets=(Target(kind=EMBEDDED),)),
            lambda _: endpoint,
            TIMEOUTS,
            report_progress=lambda _: None,
            cancelled=lambda: False,
        )
