"""The machines that a stored run has read, as the terminal prints them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.library.library import Library
    from engine.record.record import RunRecord


def machines_text(library: "Library", record: "RunRecord") -> str:
    """A line for each machine, and one on what reading them has cost; empty for a run that read no machine.

    Raises ``UserError``.
    """
    statuses = library.host.collectors(record.run_id)
    if not statuses:
        return ""
    from engine.report.machines import collector_figures, cost_sentence, machine_sentences  # numpy with it

    figures = collector_figures(record, statuses, library.host.of_run(record.run_id))
    lines = [f"machine    {sentence}" for sentence in machine_sentences(figures)]
    return "\n".join([*lines, f"collectors {cost_sentence(record, figures)}"])
