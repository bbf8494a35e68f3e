"""What limits the figures of a kept run, for what the terminal prints of it: as its documents have it."""

from typing import TYPE_CHECKING

from engine.record import RunRecord

if TYPE_CHECKING:
    from engine.library.library import Library


def warnings_of_run(library: "Library", record: RunRecord) -> list[str]:
    """A sentence for each thing to know before believing its figures. Raises ``UserError``."""
    from app.library_jobs import open_run
    from engine.report.run_warnings import run_warnings

    _, run = open_run(library, record.run_id, tell=lambda _doing, _share: None, cancelled=lambda: False)
    return run_warnings(record, run)


def warnings_text(warnings: list[str]) -> str:
    """The warnings, a line each; empty without any."""
    return "\n".join(f"warning    {warning}" for warning in warnings)
