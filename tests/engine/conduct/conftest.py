"""Real runs on a real store, to be audited by the tests of this package."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.audit.report import AuditReport
from engine.conduct.after_run import audit_after_run
from engine.conduct.conductor import Conductor
from engine.conduct.targets import Targets
from engine.databases.database import Timeouts
from engine.driver.sinks import Sink
from engine.library.library import Library
from engine.machines.inventory import Inventory, change_inventory
from engine.machines.machine import Machine, Role
from engine.places import find_places
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord
from engine.target.target import Target
from tests.engine.cluster.local_agents import LocalAgents
from tests.engine.conftest import BuiltStore
from tests.engine.driver.runs import OVER_SECONDS

SECOND = 1 / 60


class Stage:
    """A library and the targets of its runs."""

    def __init__(self, home: Path, store: BuiltStore) -> None:
        self.home = home
        self.store = store
        self._conductors: list[Conductor] = []
        self.library = Library.open(home / "library.sqlite", notify=print)
        self.secrets = {store.target.secret_name: store.secret}
        self.targets = Targets(find_places(home), secrets=self.secrets, find=lambda _: None, notify=print)
        self.agents: LocalAgents | None = None

    def use_load_machines(self, *machines: str, **changed: Any) -> LocalAgents:
        """Machines that are in the inventory, and whose agents can be started."""
        known = tuple(Machine(name=name, roles=(Role.LOAD_MACHINE,)) for name in machines)
        change_inventory(find_places(self.home).machines, lambda _: Inventory(known))
        self.agents = LocalAgents(self.home / "machines", machines, **changed)
        return self.agents

    def start(
        self,
        *targets: Target,
        sinks: Sequence[Sink] = (),
        timeouts: Timeouts | None = None,
        reset: bool = True,
        **changed: Any,
    ) -> Conductor:
        """A run that has begun on the targets, which are the store if none is given."""
        values: dict[str, Any] = {
            "targets": targets or (self.store.target,),
            "threads": 3,
            "think_time_ms": 20,
            "ramp_rate": 100,
            "warmup_minutes": 0,
            "minutes": SECOND,
        }
        plan = RunPlan(**(values | changed))
        self.targets.timeouts = timeouts or Timeouts()
        conductor = Conductor(plan, library=self.library, targets=self.targets, notify=print, agents=self.agents)
        self._conductors.append(conductor)
        if reset:
            conductor.reset_changed(report_progress=lambda _: None, cancelled=lambda: False)
        conductor.prepare(report_progress=lambda _: None, cancelled=lambda: False)
        conductor.start(list(sinks))
        return conductor

    def run(self, *targets: Target, **changed: Any) -> RunRecord:
        """A run that is over."""
        conductor = self.start(*targets, **changed)
        assert conductor.run.wait(OVER_SECONDS)
        return conductor.finish()

    def audit(self, record: RunRecord, **changed: Any) -> AuditReport:
        values: dict[str, Any] = {"report_progress": lambda _: None, "cancelled": lambda: False}
        return audit_after_run(self.library, record.run_id, self.targets.resolve, **(values | changed))

    def close(self) -> None:
        """End the runs that a test that failed has left."""
        for conductor in self._conductors:
            conductor.close()

    def ledger(self, record: RunRecord, client: int = 1) -> Path:
        return self.home / "ledgers" / record.run_id / f"client-{client}.ledger"


@pytest.fixture(scope="session")
def audited_store(build_store: Callable[[str], BuiltStore]) -> BuiltStore:
    """The store that this package's tests drive and damage; each run begins with a reset."""
    return build_store("audited")


@pytest.fixture
def stage(tmp_path: Path, audited_store: BuiltStore) -> Iterator[Stage]:
    stage = Stage(tmp_path, audited_store)
    with stage.library, stage.targets:
        yield stage
        stage.close()
