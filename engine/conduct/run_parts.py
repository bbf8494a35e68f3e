"""What a run is made of: its clients, probes and means of injection, from its plan and what the preflight found."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.analysis.recovery.settings import RecoverySettings
from engine.audit.ledger_files import ledger_path
from engine.conduct.baseline_monitor import BaselineMonitor
from engine.conduct.fault_tools import InjectionTargets, injection_tools
from engine.conduct.machines import ReadMachines
from engine.conduct.pacing import pacing_of
from engine.conduct.placed_clients import PlacedClients
from engine.conduct.preflight import Preflight
from engine.conduct.targets import Targets
from engine.databases.database import USUAL_TIMEOUTS, Timeouts
from engine.driver.messages import ClientStart, ProbedStore
from engine.driver.run import Run
from engine.driver.run_loads import RunLoad
from engine.driver.sinks import Sink
from engine.plan.clients import ClientPlan
from engine.plan.plan import RunPlan
from engine.target.target import EMBEDDED, STORAGE, Target
from engine.workload.registry import find_workload
from engine.workstation import describe_workstation


class RunParts:
    """Makes the parts of the run of a plan whose preflight passed; ``plan`` is the preflight's."""

    def __init__(self, preflight: Preflight, targets: Targets, timeouts: Timeouts, machines: ReadMachines) -> None:
        self._preflight = preflight
        self._targets = targets
        self._timeouts = timeouts
        self._machines = machines

    @property
    def plan(self) -> RunPlan:
        return self._preflight.plan

    def run(
        self,
        run_id: str,
        library: Path,
        sinks: Sequence[Sink],
        placed: PlacedClients | None = None,
        *,
        tick_seconds: float,
    ) -> Run:
        """The run, not yet begun. To make it may wait for a name server and for load machines.

        ``placed`` are the clients that these drive.
        """
        plan = self.plan
        clients = plan.client_plans()
        watch = BaselineMonitor(plan, RecoverySettings())
        waits = any(fault.steady_by_seconds is not None for fault in plan.faults)
        return Run(
            starts=[
                self._client_start(client, first_user, str(ledger_path(library, run_id, client.number)))
                for client, first_user in zip(clients, _first_users(plan), strict=True)
            ],
            labels={client.number: client.label for client in clients},
            warmup_seconds=plan.warmup_seconds,
            measured_seconds=plan.measured_seconds,
            sinks=[*sinks, *([watch] if waits else [])],
            faults=plan.faults,
            tools=injection_tools(self.injection_targets(), is_steady=watch.is_steady),
            stores=[
                self._probed_store(number, store)
                for number, store in enumerate(plan.stores(), start=1)
                if store.kind != STORAGE
            ],
            collectors=self._machines.starts,
            placement=placed.launchers if placed is not None else {},
            tick_seconds=tick_seconds,
            loads=_run_loads(plan),
        )

    def injection_targets(self) -> InjectionTargets:
        """What the injections of the run may use."""
        stores = self.plan.stores()
        endpoints = [self._preflight.found(store).endpoint for store in stores]
        loads = [self._preflight.found(store).load for store in stores]
        in_use = [each.secret for each in (*endpoints, *loads) if each.secret is not None]
        return InjectionTargets(
            run_lab_action=self._targets.run_lab_action if any(store.kind == EMBEDDED for store in stores) else None,
            stores=stores,
            endpoints=endpoints,
            find_secret=self._targets.secret,
            inventory=self._targets.inventory,
            secrets=lambda: (*in_use, *self._targets.secrets()),
        )

    def environment(self, placed: PlacedClients | None = None) -> dict[str, Any]:
        """The workstation, the load machines, the servers and the machines as the run finds them, for its record.

        Also the time-outs of its users, where they are not the usual ones.
        """
        load_machines = {"load_machines": placed.described()} if placed is not None and placed.launchers else {}
        usual = self._timeouts == USUAL_TIMEOUTS
        timeouts = {} if usual else {"timeouts": asdict(self._timeouts)}
        machines = {"machines": list(self._machines.described)} if self._machines.described else {}
        return {
            "workstation": describe_workstation(self._compiled()),
            "servers": [checked.describe() for checked in self._preflight.stores.values()],
            **load_machines,
            **machines,
            **timeouts,
        }

    def measures_after(self) -> dict[str, dict[str, str]]:
        """What the servers measure of themselves when the run is over, by target. It waits for them."""
        found = {
            planned.url: checked.measures_now(self._timeouts) for planned, checked in self._preflight.stores.items()
        }
        return {url: measures for url, measures in found.items() if measures}

    def _compiled(self) -> tuple[str, ...]:
        """The compiled modules of all workloads of the run."""
        modules = (module for load in self.plan.loads for module in find_workload(load.workload).compiled)
        return tuple(dict.fromkeys(modules))

    def _client_start(self, client: ClientPlan, first_user: int, ledger: str) -> ClientStart:
        plan, load = self.plan.loads[client.load], self._preflight.found(client.target).load
        before = sum(len(each.client_plans()) for each in self.plan.loads[: client.load])
        return ClientStart(
            client=client.number,
            target=load.target,
            secret=load.secret,
            workload=plan.workload,
            parameters=plan.parameters,
            think_time_ms=plan.think_time_ms,
            threads=plan.threads,
            pacing=pacing_of(plan, client.number - 1 - before),
            first_user=first_user,
            ramp_rate=plan.ramp_rate,
            seed=plan.seed,
            timeouts=self._timeouts,
            ledger=ledger,
        )

    def _probed_store(self, number: int, planned: Target) -> ProbedStore:
        endpoint = self._preflight.found(planned).endpoint
        target = endpoint.target.with_label(planned.label or planned.database)
        return ProbedStore(number=number, target=target, secret=endpoint.secret)


def _first_users(plan: RunPlan) -> Iterator[int]:
    """For each client, how many users the clients before it have on its store."""
    users: Counter[Target] = Counter()
    for client in plan.client_plans():
        store = client.target.with_label("")
        yield users[store]
        users[store] += plan.loads[client.load].threads


def _run_loads(plan: RunPlan) -> list[RunLoad]:
    titles = plan.titles if plan.is_mixed else ("",)
    return [
        RunLoad(clients=len(load.client_plans()), profile=load.profile, rate=load.rate, title=title)
        for load, title in zip(plan.loads, titles, strict=True)
    ]
