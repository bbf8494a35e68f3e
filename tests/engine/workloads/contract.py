"""The common part of the workloads' contracts: a store in a database of a real server."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, Self

from engine.databases import database_of
from engine.databases.database import Session, Store, Timeouts
from engine.databases.definition import Check, StoreDefinition
from engine.databases.exchange.calls import CallTable
from engine.workload.actions import Action, Call, Script
from engine.workloads.bindings import calls_of, store_of
from tests.engine.databases.contract.places import SEED, never, silent
from tests.engine.databases.contract.under_test import DatabaseUnderTest, Run


class WorkloadStore:
    """A database with a store of ``workload`` of one ``scale``, named as the workload."""

    workload: ClassVar[str]
    scale: ClassVar[str]

    @classmethod
    @contextmanager
    def built(cls, dbms: DatabaseUnderTest) -> Iterator[Self]:
        """The store, built; it is dropped in the end."""
        made = cls(dbms)
        made.build()
        try:
            yield made
        finally:
            made.store.drop()

    def __init__(self, dbms: DatabaseUnderTest) -> None:
        self.target = dbms.target(self.workload)
        self.calls: CallTable = calls_of(self.workload, self.target.kind)
        self.definition: StoreDefinition = store_of(self.workload, self.target.kind)
        self._dbms = dbms

    @property
    def store(self) -> Store:
        return self.store_of(self.definition)

    def store_of(self, definition: StoreDefinition) -> Store:
        """The content of the database, opened as a store of this definition."""
        return database_of(self.target.kind).store(self.target, self._dbms.secret, Timeouts(), definition)

    def build(self) -> None:
        self.store.build(self.scale, SEED, replace=False, report_progress=silent, cancelled=never)

    def verify(self) -> list[Check]:
        return self.store.verify(report_progress=silent, cancelled=never)

    def failed(self) -> list[str]:
        return [each.what for each in self.verify() if not each.ok]

    def reset(self) -> None:
        self.store.reset(report_progress=silent, cancelled=never)

    def open(self) -> Session:
        return database_of(self.target.kind).connect(self.target, self._dbms.secret, Timeouts(), self.calls)

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self._dbms.run(self.workload, statement)

    def transaction(self) -> AbstractContextManager[Run]:
        """A transaction of another client, which is rolled back."""
        return self._dbms.transaction(self.workload)

    def waiting(self) -> int:
        """How many sessions wait for a lock."""
        return self._dbms.waiting(self.workload)

    def drive_script(self, script: Script, goes_on: Callable[[Action], bool]) -> None:
        """Perform the actions of a user's script as long as ``goes_on`` is true of the next one."""
        session, action = self.open(), next(script)
        try:
            while goes_on(action):
                result = session.call(*action) if isinstance(action, Call) else None
                action = script.send((result, None, 0.001))
        finally:
            session.close()
