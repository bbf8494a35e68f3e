"""Reports in the window: made for the preview, drawn, and written as HTML or PDF, in the background."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.background import Job
from app.library import jobs as library_jobs
from app.newest_job import NewestJob
from app.remedy_text import window_text
from app.reports import jobs as report_jobs
from app.services import Services
from app.window.file_questions import Purpose
from app.window.messages import PAGE_TOPIC
from engine.analysis.comparing.references import Reference
from engine.analysis.recovery.settings import RecoverySettings
from engine.errors import TargetError, UserError
from engine.report.document import Document, DocumentKind, Logo
from engine.report.document_format import DocumentFormat
from engine.report.making import ReportRequest
from engine.report.report_choices import report_choices
from engine.report.run_listing import RunListing
from engine.report.sets.listing import SetListing
from widgets.parts.message_bar import Severity
from widgets.report.report_page import ReportPage

_Previewed = tuple[Document, list[bytes]]


class Reporting(QObject):
    """Handles the requests of ``page``; ``begin`` says which runs it is about. ``settings`` are those by which faults
    are judged."""

    def __init__(
        self,
        page: ReportPage,
        services: Services,
        settings: Callable[[], RecoverySettings],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._page = page
        self._settings = settings
        self._choices: dict[DocumentKind, tuple[str, ...]] = {}
        self._workloads: set[str] = set()
        self._making = NewestJob(services.background)
        self._writing: Job[Path] | None = None
        page.build_requested.connect(self._on_build)
        page.cancel_requested.connect(self._on_cancel)
        page.logo_requested.connect(self._on_logo)
        page.export_requested.connect(self._on_export)
        page.print_requested.connect(self._on_print)

    def begin(self, runs: Sequence[RunListing], sets: Sequence[SetListing]) -> None:
        """Offer the reports that can be made of these runs; ``sets`` are all of the library. The likeliest kind is made
        at once."""
        self._choices = report_choices(runs, sets)
        self._workloads = {run.workload for run in runs}
        self._page.loading.begin()
        self._page.show_loading("", None)
        self._start(lambda _job: self._services.workbench.library().references.all(), self._on_references)

    def begin_with(self, run_ids: Sequence[str]) -> None:
        """As ``begin``, for runs that may be in no list yet, such as one that has just ended: they are read first."""
        self._page.loading.begin()
        self._page.show_loading("", None)
        self._start(
            lambda _job: library_jobs.runs_to_report(self._services.workbench.library(), run_ids),
            lambda listed: self.begin(listed.runs, listed.sets),
        )

    def begin_with_campaign(self, name: str) -> None:
        """Make the report of a campaign."""
        self._choices = {DocumentKind.CAMPAIGN: (name,)}
        self._page.begin(list(self._choices), [])

    def _on_references(self, references: list[Reference]) -> None:
        offered = [(each.name, each.source) for each in references if {each.workload} == self._workloads]
        self._page.begin(list(self._choices), offered)

    def _on_build(self, kind: DocumentKind, references: list[str]) -> None:
        request = ReportRequest(
            named=self._choices[kind], references=tuple(references), kind=kind, settings=self._settings()
        )

        def work(job: Job[_Previewed]) -> _Previewed:
            return report_jobs.previewed(
                self._services.workbench.library(),
                request,
                on_progress=job.report_progress,
                cancelled=job.cancelled,
            )

        self._start(work, self._on_made)

    def _start(self, work: Callable[[Job[Any]], Any], done: Callable[[Any], None]) -> None:
        """Start work for the page in place of what is running."""
        self._making.start(work, done=done, failed=self._on_failed, progressed=self._page.show_loading)

    def _on_made(self, previewed: _Previewed) -> None:
        self._page.show_report(*previewed)

    def _on_failed(self, error: BaseException) -> None:
        match error:
            case UserError() | TargetError():
                self._page.show_trouble(window_text(error))
            case _:
                self._page.show_trouble("Internal error; no report was written.")
                self._services.messages.show_error(error)

    def _on_cancel(self) -> None:
        self._making.drop()
        if self._writing is not None:
            self._writing.cancel()

    def _on_logo(self) -> None:
        self._services.files.ask_open("Choose a logo", "Pictures (*.png *.svg)", self._read_logo, purpose=Purpose.LOGOS)

    def _read_logo(self, paths: list[Path]) -> None:
        self._services.background.start(
            lambda _job: report_jobs.read_logo(paths[0]), done=self._on_logo_read, failed=self._show_error
        )

    def _on_logo_read(self, logo: Logo) -> None:
        self._services.messages.drop(PAGE_TOPIC)
        self._page.set_logo(logo)

    def _show_error(self, error: BaseException) -> None:
        self._services.messages.show_error(error, topic=PAGE_TOPIC)

    def _on_export(self, document: Document, form: DocumentFormat) -> None:
        self._services.files.ask_save(
            "Export the report",
            f"{_file_name(document.title)}.{form}",
            f"{form.label} (*.{form})",
            lambda path: self._write(document, path),
            purpose=Purpose.REPORTS,
        )

    def _on_print(self) -> None:
        document = self._page.document
        if document is not None:
            from app.reports.printing import ask_to_print  # imported here, as nothing else needs the print library

            ask_to_print(document.title, self._page.view.print_on, self._page)

    def _write(self, document: Document, path: Path) -> None:
        self._page.show_writing(f"Writing {path.name}")
        self._writing = self._services.background.start(
            lambda job: report_jobs.write_document(
                document, path, on_progress=job.report_progress, cancelled=job.cancelled
            ),
            done=self._on_written,
            progressed=self._page.show_writing,
            name=f"writing {path.name}",
            failed=self._on_not_written,
            cancelled=self._on_writing_cancelled,
        )

    def _on_written(self, path: Path) -> None:
        self._page.show_writing(None)
        self._services.messages.show(f"Report written to {path}.", Severity.SUCCESS, topic=PAGE_TOPIC)

    def _on_not_written(self, error: BaseException) -> None:
        self._page.show_writing(None)
        self._show_error(error)

    def _on_writing_cancelled(self) -> None:
        self._page.show_writing(None)
        self._services.messages.show("Cancelled; no report was written.")


def _file_name(title: str) -> str:
    """A title as a file name that is valid on every system."""
    kept = "".join(letter if letter.isalnum() or letter in " .,-_#" else "-" for letter in title)
    return kept.strip(" .-")[:80] or "report"
