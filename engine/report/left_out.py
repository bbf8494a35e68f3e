"""What is missing in the figures of several runs: for the comparison and for the document of a set.

The sentences on one run are those of ``run_parts``.
"""

from collections.abc import Mapping

from engine.report.document import Block, Facts, Section, Text
from engine.report.results import ReportedRun
from engine.report.run_parts import left_out_section


def left_out_sections(runs: Mapping[str, ReportedRun]) -> list[Section]:
    """A line for each run under its name in the document; what applies to all of them once."""
    told = {name: _sentences(run) for name, run in runs.items()}
    if not told:
        return []
    shared = [sentence for sentence in next(iter(told.values())) if all(sentence in each for each in told.values())]
    own = {name: [sentence for sentence in each if sentence not in shared] for name, each in told.items()}
    rows = tuple((name, " ".join(sentences)) for name, sentences in own.items() if sentences)
    blocks: list[Block] = [Facts(rows=rows)] if rows else []
    return [Section(title="What was left out", blocks=(*blocks, *(Text(text=sentence) for sentence in shared)))]


def _sentences(run: ReportedRun) -> list[str]:
    section = left_out_section(run.record, run.data)
    return [block.text for block in section.blocks if isinstance(block, Text)]
