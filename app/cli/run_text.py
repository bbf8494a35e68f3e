"""A stored run as the terminal prints it: results, warnings, recoveries and audit, of each load of a mixed run."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.cli.recovery_summary import recovery_summary
from app.cli.result_text import result_text
from app.library.judgement import judge_run
from engine.figure_text import counted

if TYPE_CHECKING:
    from engine.analysis.recovery.settings import RecoverySettings
    from engine.library.library import Library
    from engine.record.record import RunRecord


def loads_text(
    library: "Library",
    record: "RunRecord",
    width: int | None,
    settings: "RecoverySettings | None" = None,
    more: "Callable[[RunRecord], str]" = lambda _: "",
) -> list[str]:
    """The paragraphs on each load, ``more`` at its end; faults are judged by ``settings``. Raises ``UserError``."""
    parts = [_mixed_head(record)] if record.plan.is_mixed else []
    for load in record.loads:
        judgement = judge_run(library, load.run_id, settings)
        parts.append(result_text(load, width, library.events(load.run_id)))
        parts += [judgement.text, recovery_summary(judgement.recoveries, width), more(load)]
    return parts


def _mixed_head(record: "RunRecord") -> str:
    """What is said once of a mixed run."""
    titles = " and ".join(record.plan.titles) if len(record.plan.titles) == 2 else ", ".join(record.plan.titles)
    return f"\n{record.name}  ·  run {record.run_id}  ·  {counted(len(record.plan.loads), 'load')}: {titles}"
