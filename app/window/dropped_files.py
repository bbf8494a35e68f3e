"""Detects the kind of a file that is dropped on the window: by its content, a plan by its suffix."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from app.cli.input_text import is_library_file, read_bytes
from engine.analysis.comparing.configuration import read_configuration, read_items
from engine.analysis.comparing.references import read_references
from engine.analysis.host.files import HostFileKind, kind_of, read_host_file, text_of
from engine.errors import BadInput
from engine.library.run_id import new_run_id
from engine.plan.file import read_plan_file
from engine.plan.plan import RunPlan
from engine.workload.registry import DVD_STORE
from engine.workloads.driver_files import driver_files_of
from engine.workloads.storage.results.importing import is_storage_result

_REPORT_ENDINGS = (".html", ".htm", ".pdf")


class FileKind(StrEnum):
    """The kinds that the window can use; the value is the word for it in sentences."""

    HOST = "figures of a host or a meter"
    DS2 = "DVD Store 2 output"
    STORAGE = "a result of SQLIO, diskspd or fio"
    PLAN = "a plan"
    CONFIGURATION = "a configuration"
    REFERENCES = "published results"
    REPORT = "a report"
    LIBRARY = "a library, such as a rescued run's"
    UNKNOWN = "nothing that Spindle can import"


@dataclass(frozen=True, kw_only=True)
class DroppedFile:
    """A file, its kind, and ``problem``: why it can't be used, in one sentence. A plan is already parsed."""

    path: Path
    kind: FileKind
    problem: str = ""
    plan: RunPlan | None = None


def look_at(path: Path) -> DroppedFile:
    """Detect the kind of a file. Raises nothing: an unreadable file is unknown, with the reason."""
    ending = path.suffix.lower()
    try:
        if path.is_dir():
            return _unknown(path, f"{path.name} is a folder; drop files.")
        if is_library_file(path):
            return DroppedFile(path=path, kind=FileKind.LIBRARY)
        if ending in _REPORT_ENDINGS:
            return DroppedFile(path=path, kind=FileKind.REPORT)
        if ending == ".toml":
            return _toml(path)
        return _text(path)
    except BadInput as error:
        return _unknown(path, str(error))


def _toml(path: Path) -> DroppedFile:
    try:
        return DroppedFile(path=path, kind=FileKind.PLAN, plan=read_plan_file(path))
    except BadInput as error:
        problem = str(error)
    try:
        read_configuration(text_of(read_bytes(path)), path.name, name="")
    except BadInput:
        return _unknown(path, problem)
    return DroppedFile(path=path, kind=FileKind.CONFIGURATION)


def _text(path: Path) -> DroppedFile:
    text = text_of(read_bytes(path))
    for kind, read in (
        (FileKind.REFERENCES, _reads_as_references),
        (FileKind.CONFIGURATION, _reads_as_bill),
        (FileKind.STORAGE, is_storage_result),
        (FileKind.HOST, _reads_as_host),
        (FileKind.DS2, _reads_as_ds2),
    ):
        if read(text):
            return DroppedFile(path=path, kind=kind)
    return _unknown(
        path,
        f"There is {FileKind.UNKNOWN} in {path.name}; drop a CSV of host figures, a meter, a bill of materials or"
        " published results, DVD Store 2 output, results of SQLIO, diskspd or fio, a rescued run, a plan or a"
        " configuration.",
    )


def _reads_as_references(text: str) -> bool:
    try:
        return bool(read_references(text, ""))
    except BadInput:
        return False


def _reads_as_bill(text: str) -> bool:
    try:
        return bool(read_items(text, ""))
    except BadInput:
        return False


def _reads_as_host(text: str) -> bool:
    """A file that names the tool that wrote it is one even when it can't be used: the import says why."""
    try:
        if kind_of(text) is not HostFileKind.METER:
            return True
        return bool(read_host_file(text, zone=UTC, near=datetime.now(UTC)).series)
    except BadInput:
        return False


def _reads_as_ds2(text: str) -> bool:
    try:
        driver_files_of(DVD_STORE).read_log(text, source="", started_at=datetime.now(UTC), new_run_id=new_run_id)
    except BadInput:
        return False
    return True


def _unknown(path: Path, problem: str) -> DroppedFile:
    return DroppedFile(path=path, kind=FileKind.UNKNOWN, problem=problem)
