"""The files of the driver program that a workload's authors have published: its parameters, and what it prints."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import NamedTuple, Protocol

from engine.errors import BadInput
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord
from engine.secrets import Secret
from engine.target.target import POSTGRESQL
from engine.telemetry.event import RunEvent
from engine.telemetry.sample import Sample
from engine.workload.registry import find_workload


class DriverPlan(NamedTuple):
    """A plan made of a driver's parameters, warnings about it, and the targets' passwords by secret name."""

    plan: RunPlan
    warnings: list[str]
    secrets: Mapping[str, Secret]


@dataclass(frozen=True, kw_only=True)
class ImportedRun:
    """A run read from a driver's output, ready for the library."""

    record: RunRecord
    samples: tuple[Sample, ...]
    events: tuple[RunEvent, ...]


class ReadLog(Protocol):
    """Reads a driver's output, named ``source`` in errors, as a run on a DBMS of a kind, which no driver prints.

    ``started_at`` (UTC) is used when the output has no readable date. Raises ``BadInput``.
    """

    def __call__(
        self,
        text: str,
        *,
        source: str,
        started_at: datetime,
        new_run_id: Callable[[datetime], str],
        kind: str = POSTGRESQL,
    ) -> ImportedRun: ...


@dataclass(frozen=True, kw_only=True)
class DriverFiles:
    """What Spindle reads and writes for a published driver; parameters are texts by the driver's names.

    ``defaults`` are its parameters that a plan has, with their defaults; ``note`` is one sentence on their units.
    ``parse_file`` reads a parameter file's text, with its name for errors, ``parse_arguments`` a command line;
    ``plan_of`` makes a plan of parameters, ``file_of`` a parameter file of a plan, ``read_log`` a run of the output.
    All raise ``BadInput``.
    """

    defaults: Mapping[str, str]
    note: str
    parse_file: Callable[[str, str], dict[str, str]]
    parse_arguments: Callable[[Iterable[str]], dict[str, str]]
    plan_of: Callable[[Mapping[str, str]], DriverPlan]
    file_of: Callable[[RunPlan], str]
    read_log: ReadLog


def driver_files_of(workload_id: str) -> DriverFiles:
    """Those of a workload; raises ``BadInput`` where ``Workload.driver_files`` names none."""
    workload = find_workload(workload_id)
    if not workload.driver_files:
        raise BadInput(f"{workload.title} has no published driver whose files Spindle reads.")
    files = import_module(workload.driver_files).DRIVER_FILES
    assert isinstance(files, DriverFiles)
    return files
