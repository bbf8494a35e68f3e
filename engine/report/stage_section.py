"""The stages of a run's load in its document: their figures, and what they say of the knee."""

from engine.analysis.run_data import RunData
from engine.analysis.stages.table import stage_sentences, stage_table
from engine.record.record import RunRecord
from engine.record.totals import NO_TOTALS
from engine.report.document import Column, DataTable, Section, Text
from engine.report.result_tables import number_columns


def stage_sections(record: RunRecord, run: RunData) -> list[Section]:
    """One section with the table of a run with stages, and the sentences of any run whose load ended early."""
    stages = (record.totals or NO_TOTALS).stages
    said = [Text(text=sentence) for sentence in stage_sentences(stages, run.headline, run.sorted_events())]
    if not stages:
        return [Section(title="Load", level=2, blocks=tuple(said))] if said else []
    table = stage_table(stages, run.headline)
    shown = DataTable(
        caption="The stages of the load, each after its settling time",
        columns=(Column(title="Stage"), *number_columns(*table.columns)),
        rows=(*table.rows, *table.extremes),
        note="Minimum, maximum and average are those of the stages." if table.extremes else "",
    )
    return [Section(title="Stages", blocks=(shown, *said))]
