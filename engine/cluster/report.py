"""What is shown of a load machine, on the terminal and in the window."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from engine.cluster.connection import ClusterConnection, MachineAnswers
from engine.cluster.preflight import Findings, Needs, judge_machine, reached_text
from engine.cluster.questions import local_facts
from engine.cluster.state import ClusterState, StartedWorker, WorkerState
from engine.collect.clock_offset import Offset
from engine.figure_text import UNKNOWN, decimal
from engine.target.kinds import MARIADB, MSSQL, MYSQL, POSTGRESQL

ALL_KINDS = (POSTGRESQL, MARIADB, MYSQL, MSSQL)
TITLES = ("State", "Spindle", "Python", "Processors", "Clock", "Drivers", "Compiled", "Reaches")


@dataclass(frozen=True, kw_only=True)
class MachineReport:
    """A load machine of the cluster: ``state`` in a word or two, ``answers``, and what is to be said of it."""

    machine: str
    state: str
    answers: MachineAnswers
    findings: Findings

    @classmethod
    def of(
        cls, machine: str, answers: MachineAnswers, cluster: ClusterState, own: Mapping[str, Any], needs: Needs
    ) -> Self:
        """Judge a machine that was asked; ``own`` are the facts of this one."""
        worker = cluster.workers.get(machine, StartedWorker(machine=machine, state=WorkerState.READY))
        if answers.problem and worker.message:
            sentence = f"load machine '{machine}' has ended: {worker.message}"
            findings = Findings(refusals=[sentence])
        else:
            findings = judge_machine(machine, answers, own, needs)
        return cls(machine=machine, state=_state(answers, worker), answers=answers, findings=findings)

    @property
    def texts(self) -> tuple[str, ...]:
        """What stands under ``TITLES``."""
        facts, offset = self.answers.facts, self.answers.offset
        if not facts:
            return (self.state, *[UNKNOWN] * (len(TITLES) - 1))
        clock = UNKNOWN if offset is None else _clock(offset)
        odbc = dict.fromkeys(name for names in facts["odbc_drivers"].values() for name in names)
        return (
            self.state,
            f"{facts['spindle']} ({facts['code']})",
            facts["python"],
            f"{decimal(facts['free_processors'], 1)} of {facts['processors']} free",
            clock,
            ", ".join((f"psycopg {facts['psycopg']}", *odbc)),
            "yes" if facts["compiled"] else "no",
            reached_text(self.answers) or UNKNOWN,
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON; times in ms."""
        offset = self.answers.offset
        return {
            "machine": self.machine,
            "state": self.state,
            **self.answers.facts,
            "clock_offset_ms": None if offset is None else round(1000 * offset.seconds, 3),
            "clock_error_ms": None if offset is None else round(1000 * offset.error_seconds, 3),
            "reached": {f"{host}:{port}": dict(each) for (host, port), each in self.answers.reached.items()},
            "refusals": list(self.findings.refusals),
            "warnings": list(self.findings.warnings),
        }


def ask_machines(
    cluster: ClusterConnection, needs: Needs, cancelled: Callable[[], bool] = lambda: False
) -> list[MachineReport]:
    """Ask all machines of a cluster, those that have left it among them. Raises ``Cancelled``."""
    needs = replace(needs, takes_busy=cluster.state.settings.takes_busy)
    names = list(dict.fromkeys((*cluster.state.workers, *cluster.workers())))
    answers = cluster.ask(names, needs.places, cancelled)
    own = local_facts()
    return [MachineReport.of(name, answers[name], cluster.state, own, needs) for name in names]


def _clock(offset: Offset) -> str:
    """How far the machine's clock is ahead of this one's, and within what that is known."""
    error = f"± {decimal(1000 * offset.error_seconds, 1)} ms"
    is_far = abs(offset.seconds) >= 1
    return f"{offset.seconds:+.3f} s {error}" if is_far else f"{1000 * offset.seconds:+.1f} {error}"


def _state(answers: MachineAnswers, worker: StartedWorker) -> str:
    if not answers.problem:
        return "drives a run" if answers.facts["runs"] else "ready"
    return worker.state.value if worker.state is not WorkerState.READY else "no answer"
