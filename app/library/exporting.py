"""Exports runs and charts: asks for a file, and writes it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject

from app.background import Job
from app.library import jobs as library_jobs
from app.services import Services
from app.window.file_questions import Purpose
from app.window.messages import PAGE_TOPIC
from engine.analysis.run_data import RunData
from engine.errors import BadInput, Cancelled
from engine.report.export_kind import ExportKind
from widgets.library.chart_image import run_image
from widgets.parts.look import Look
from widgets.parts.message_bar import Severity


class Exporting(QObject):
    """Charts are drawn on the main thread, as all painting is; files are written in the background."""

    def __init__(self, look: Look, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._look = look

    def export_runs(self, run_ids: Sequence[str], kind: ExportKind) -> None:
        """Export one run to a file, or several to a folder with a file each."""
        if len(run_ids) == 1:
            run_id = run_ids[0]
            self._services.files.ask_save(
                kind.label,
                _name(run_id, kind),
                _pattern(kind),
                lambda path: self._export({run_id: path}, kind),
                purpose=Purpose.EXPORTS,
            )
        elif run_ids:
            self._services.files.ask_folder(
                f"{kind.label}: a folder for {len(run_ids)} runs",
                lambda folder: self._export({each: folder / _name(each, kind) for each in run_ids}, kind, anew=True),
                purpose=Purpose.EXPORTS,
            )

    def export_image(self, name: str, kind: ExportKind, image: Callable[[ExportKind], bytes]) -> None:
        """Export a chart as it is displayed."""
        self._services.files.ask_save(
            kind.label,
            _name(name, kind),
            _pattern(kind),
            lambda path: self._write_image(path, image(kind)),
            purpose=Purpose.EXPORTS,
        )

    def _export(self, paths: dict[str, Path], kind: ExportKind, *, anew: bool = False) -> None:
        """Write runs; ``anew`` refuses to overwrite files, since the user was not asked about them."""

        def work(job: Job[list[Path]]) -> list[Path]:
            library = self._services.workbench.library()
            for number, (run_id, path) in enumerate(paths.items()):
                if job.cancelled():
                    raise Cancelled
                on_progress = library_jobs.part_of(job.report_progress, number, len(paths))
                on_progress("", 0.0)
                if anew and path.exists():
                    raise BadInput(f"{path} already exists; choose another folder, or move it.")
                if kind.is_chart:
                    _, data = library_jobs.open_run(library, run_id, on_progress=on_progress, cancelled=job.cancelled)
                    self._services.background.post(lambda data=data, path=path: self._draw(data, path, kind))  # type: ignore[misc]
                else:
                    library_jobs.export_run(
                        library, run_id, kind, path, on_progress=on_progress, cancelled=job.cancelled
                    )
            return list(paths.values())

        self._services.long_work.start(
            f"exporting {_names(paths)}",
            work,
            done=self._on_nothing if kind.is_chart else self._on_exported,
            failed=self._on_failed,
            cancelled=lambda: self._on_cancelled(paths),
        )

    def _on_cancelled(self, paths: Mapping[str, Path]) -> None:
        folder = next(iter(paths.values())).parent
        left = "nothing was written" if len(paths) == 1 else f"the runs that were exported before are in {folder}"
        self._services.messages.show(f"Cancelled; {left}.")

    def _draw(self, data: RunData, path: Path, kind: ExportKind) -> None:
        self._write_image(path, run_image(data, self._look, kind))

    def _write_image(self, path: Path, image: bytes) -> None:
        def work(_job: Job[list[Path]]) -> list[Path]:
            library_jobs.export_chart(path, image)
            return [path]

        self._services.background.start(work, done=self._on_exported, failed=self._on_failed)

    def _on_nothing(self, _paths: list[Path]) -> None:
        """Charts are reported after they are written."""

    def _on_exported(self, paths: list[Path]) -> None:
        one = len(paths) == 1
        text = f"Exported to {paths[0]}." if one else f"{len(paths)} runs exported to {paths[0].parent}."
        self._services.messages.show(text, Severity.SUCCESS, topic=PAGE_TOPIC)

    def _on_failed(self, error: BaseException) -> None:
        self._services.messages.show_error(error, topic=PAGE_TOPIC)


def _names(paths: Mapping[str, Path]) -> str:
    return next(iter(paths.values())).name if len(paths) == 1 else f"{len(paths)} runs"


def _name(run_id: str, kind: ExportKind) -> str:
    return f"{run_id}.{kind.value}"


def _pattern(kind: ExportKind) -> str:
    return f"{kind.label} (*.{kind.value})"
