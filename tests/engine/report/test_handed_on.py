"""Names and paths that no document may contain, searched for in the complete HTML and PDF."""

import getpass
import io
import subprocess
import sys

import pytest
from pypdf import PdfReader

from engine.analysis.recovery.judging import DEFAULTS, recoveries_of
from engine.faults.injections import CommandInjection, SshInjection
from engine.faults.planned import PlannedFault
from engine.record.record import RunState
from engine.report.document import Document
from engine.report.html import html_of
from engine.report.one_run import one_run_report
from engine.report.pdf.writer import pdf_of
from engine.report.recovery_evidence import recovery_evidence
from engine.report.results import ReportedRun
from engine.target.target import Target
from engine.telemetry.event import EventKind, RunEvent
from tests.engine.report.reported import MADE_AT, a_plan, a_reported_run

DATABASE_USER, WORKSTATION_USER, COMMAND_USER = "dbusertelling", "desktelling", "sshtelling"
TELLING = (DATABASE_USER, WORKSTATION_USER, COMMAND_USER, "secrettelling", "foldertelling", "/home/", "/var/")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> ReportedRun:
    """A run in whose plan, events, failure and servers names and paths are everywhere."""
    monkeypatch.setattr(getpass, "getuser", lambda: WORKSTATION_USER)
    target, _ = Target.parse(f"postgresql://{DATABASE_USER}:secrettelling@db1/shop")
    faults = (
        PlannedFault(at_seconds=1, injection=CommandInjection(arguments=("/home/foldertelling/pull.sh", COMMAND_USER))),
        PlannedFault(
            at_seconds=2, injection=SshInjection(host="db1", user=COMMAND_USER, command="ls /var/foldertelling")
        ),
    )
    detail = (
        f"by {WORKSTATION_USER}; /home/foldertelling/pull.sh; began 2026-11-21T11:34:29.086Z; output: {COMMAND_USER}"
    )
    events = [
        RunEvent(at_seconds=at, kind=EventKind.INJECTION, label=fault.label, detail=detail, is_fault=True)
        for at, fault in zip((4.0, 5.0), faults, strict=True)
    ]
    lost = f'rejected: no entry for user "{DATABASE_USER}", file /var/foldertelling/hba.conf'
    events.append(RunEvent(at_seconds=6.0, kind=EventKind.TARGET_ERROR, label=lost, client=1))
    server = {
        "target": target.url, "host": "/var/foldertelling", "product": "PostgreSQL", "version": "18.6",
        "settings": {"data_directory": "/var/foldertelling", "log": "C:\\foldertelling\\log", "work_mem": "4MB"},
        "load_account": f"The users connected as {DATABASE_USER}.",
    }  # fmt: skip
    return a_reported_run(
        (10, 20),
        plan=a_plan(targets=(target,), faults=faults),
        events=events,
        state=RunState.FAILED,
        failure=f"connection of {DATABASE_USER} to /var/foldertelling/.s.PGSQL.5432 failed",
        environment={"servers": [server], "workstation": {"system": "Linux", "release": "6", "spindle": "0.1"}},
    )


def documents_of(run: ReportedRun) -> list[Document]:
    recoveries = recoveries_of(run.data)
    return [
        one_run_report(run, made_at=MADE_AT, recoveries=recoveries),
        recovery_evidence(run, recoveries, DEFAULTS, made_at=MADE_AT),
    ]


def test_html_contains_no_private_data(run: ReportedRun) -> None:
    for document in documents_of(run):
        page = html_of(document)
        assert "PostgreSQL" in page
        assert [word for word in TELLING if word in page] == []


def test_pdf_contains_no_private_data(run: ReportedRun) -> None:
    for document in documents_of(run):
        whole = pdf_of(document)
        reader = PdfReader(io.BytesIO(whole))
        text = "".join(page.extract_text() for page in reader.pages) + str(reader.metadata) + str(reader.outline)
        assert "PostgreSQL" in text
        assert [word for word in TELLING if word in text or word.encode() in whole] == []


def test_writers_are_imported_only_when_needed() -> None:
    code = (
        "import sys; import engine.report.making;"
        "print([name for name in ('matplotlib', 'reportlab', 'jinja2', 'pypdf', 'PIL') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
