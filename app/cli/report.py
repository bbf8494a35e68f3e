"""`spindle report`: runs, sets and published references as a document in HTML or PDF."""

from pathlib import Path

import click

from app.cli.context import Context, pass_context
from app.cli.input_text import read_utf8
from app.cli.options import INPUT_FILE, NUMBER, complete_run
from app.cli.problems import COMPLETED, print_notice
from app.cli.result_files import refuse_unwritable
from app.cli.terminal import progress_shown
from app.reports.jobs import read_logo, write_document
from engine.analysis.comparing.density import ResponseTime, ServiceLevel
from engine.databases.progress import Progress
from engine.errors import BadInput
from engine.report.comparison_report import ComparisonChoices
from engine.report.document import DocumentKind
from engine.report.document_format import format_of
from engine.report.making import ReportRequest, make_document
from engine.report.run_power import WattsOver


@click.command("report")
@click.argument("named", metavar="[RUN|SET]...", nargs=-1, shell_complete=complete_run)
@click.option(
    "--out",
    "out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html|FILE.pdf",
    help="The file to write; an existing one is replaced.",
)
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in DocumentKind]),
    help="Which document. [default: run for one run, set for one set, else comparison]",
)
@click.option("--title", default="", metavar="TEXT", help="The document's title. [default: what it is about]")
@click.option("--logo", type=INPUT_FILE, metavar="FILE", help="A PNG or SVG for its head.")
@click.option("--notes", type=INPUT_FILE, metavar="FILE.md", help="Your own introduction, in Markdown.")
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="NAME",
    help="A published result to compare with (spindle reference list). Repeatable.",
)
@click.option("--factor", default="", metavar="NAME", help="Show scaling with this factor, such as processors.")
@click.option(
    "--rate-per-target",
    "--opm-per-target",
    "headline_rate_per_target",
    type=NUMBER,
    metavar="N",
    help="Show density: every target with at least this headline rate (OPM, NOPM).",
)
@click.option("--response-ms", type=NUMBER, metavar="MS", help="Show density: response times of at most so much.")
@click.option(
    "--response",
    type=click.Choice([each.value for each in ResponseTime]),
    default=ResponseTime.P95.value,
    show_default=True,
    help="Which response time --response-ms is about.",
)
@click.option(
    "--watts-over",
    type=click.Choice([each.value for each in WattsOver]),
    default=WattsOver.MEASURED.value,
    show_default=True,
    help="Average a meter over the measuring phase, or over the 10 s with the most transactions.",
)
@pass_context
def report_command(
    context: Context,
    named: tuple[str, ...],
    out: Path,
    kind: str | None,
    title: str,
    logo: Path | None,
    notes: Path | None,
    references: tuple[str, ...],
    factor: str,
    headline_rate_per_target: float | None,
    response_ms: float | None,
    response: str,
    watts_over: str,
) -> int:
    """Write a document of runs (an id, the beginning of one, or `last`) and sets (by name) from the library.

    One run, one set with its median run, or a comparison of two to eight; --kind recovery is the evidence of a run's
    faults, --kind campaign a campaign by its name. HTML is one file that needs nothing else; PDF likewise. The figures
    are those of the library, and no document holds a password, a user's name or a path.

    \b
    Examples:
      spindle report last --out run.html
      spindle report last --kind recovery --out failover.pdf
      spindle report 'SSD, 20 ms' --out set.pdf --title 'R630 with SSDs' --logo logo.svg --notes notes.md
      spindle report 20261121-05 last --reference 'R630, 4 databases, SSD, 20 ms' --out compared.html
      spindle report one two four eight --rate-per-target 20000 --response-ms 20 --out density.html
    """
    if not named and not references:
        raise BadInput("report has nothing to report; name runs, sets, or references with --reference.")
    request = ReportRequest(
        named=named,
        references=references,
        kind=None if kind is None else DocumentKind(kind),
        title=title,
        notes="" if notes is None else read_utf8(notes),
        logo=None if logo is None else read_logo(logo),
        choices=ComparisonChoices(
            factor=factor,
            level=_level(headline_rate_per_target, response_ms, ResponseTime(response)),
            watts_over=WattsOver(watts_over),
        ),
    )
    return make_and_write(context, request, out)


def make_and_write(context: Context, request: ReportRequest, out: Path) -> int:
    """Make the requested document and write it to a file, with progress; Ctrl-C cancels. Raises ``UserError``."""
    format_of(out.name)
    refuse_unwritable(str(out))
    with context.open_library() as library, progress_shown("") as (on_progress, flag):

        def report_document(doing: str, share: float) -> None:
            on_progress(Progress(doing=doing, share=share))

        document = make_document(library, request, on_progress=report_document, cancelled=flag.is_set)
        write_document(document, out, on_progress=report_document, cancelled=flag.is_set)
    print_notice(f"{document.kind.label.lower()} '{document.title}' is in {out}.")
    return COMPLETED


def _level(
    headline_rate_per_target: float | None, response_ms: float | None, response: ResponseTime
) -> ServiceLevel | None:
    if headline_rate_per_target is None and response_ms is None:
        return None
    return ServiceLevel(headline_rate_per_target=headline_rate_per_target, response_ms=response_ms, response=response)
