"""`spindle check`: whether a result fails conditions, for build servers and scripts."""

import click

from app.cli.context import Context, pass_context
from app.cli.options import OUTPUT_FILE, complete_run
from app.cli.problems import COMPLETED, FAILED
from app.cli.result_files import STANDARD_OUTPUT, opened, refuse_unwritable
from app.cli.terminal import one_line, print_json
from engine.analysis.verdicts.check import CheckReport, Outcome
from engine.errors import BadInput, UserError

_WORDS = {Outcome.PASSED: "passed", Outcome.FAILED: "FAILED", Outcome.UNKNOWN: "UNKNOWN"}


@click.command("check")
@click.argument("name", metavar="RUN|SET", shell_complete=complete_run)
@click.option("--against", default="", metavar="RUN|SET|REFERENCE", help="The baseline that changes are relative to.")
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    required=True,
    metavar="CONDITION",
    help="Fail if this is so, such as 'opm < -3 %' or 'p95 > 20 ms'. Repeatable.",
)
@click.option(
    "--json", "json_path", type=OUTPUT_FILE, metavar="FILE", help="Write the outcome as JSON; - is standard output."
)
@click.option("--junit", "junit_path", type=OUTPUT_FILE, metavar="FILE", help="Write the outcome as JUnit XML.")
@pass_context
def check_command(
    context: Context,
    name: str,
    against: str,
    conditions: tuple[str, ...],
    json_path: str | None,
    junit_path: str | None,
) -> int:
    """Check RUN (an id, the beginning of one, or `last`) or SET (its median run) against conditions.

    A condition is a figure, one of < <= > >=, and a limit. A limit with a sign is a change from the result named by
    --against: in per cent of it, or without % in the figure's unit. A limit without a sign is a value.

    Figures: the headline (opm, nopm), opm_per_target for each store, and its count (orders), mean, p50, p95, p99 and
    max in milliseconds, intended_p95, errors, error_pct, retries, reconnects, in_doubt, rollback_pct, variability_pct,
    lost, recovery and blackout in seconds, and those of one type of transaction, such as payment.p95. A run that lost
    an acknowledged order always fails.

    \b
    Examples:
      spindle check last --against 'nightly, SSD' --fail-if 'opm < -3 %' --fail-if 'p95 > +10 %'
      spindle check last --fail-if 'p95 > 20 ms' --fail-if 'errors > 0' --junit check.xml

    Exit codes: 0 passed, 1 a condition failed or its figure is not known, 2 bad input,
    such as a run that is not in the library.
    """
    from app.library.checking import check_result_of
    from engine.report.verdicts import check_result, junit_xml

    refuse_unwritable(json_path, junit_path)
    with context.open_library() as library:
        try:
            report = check_result_of(library, name, against, conditions)
        except UserError as error:  # exit code 1 is for a result that fails, not for one that there is not
            raise BadInput(error.cause, remedy=error.remedy) from error
    if json_path is not None:
        with opened(json_path) as file:
            print_json(check_result(report), file)
    if junit_path is not None:
        with opened(junit_path) as file:
            file.write(junit_xml(report))
    if STANDARD_OUTPUT not in (json_path, junit_path):
        print(check_text(report))
    return COMPLETED if report.has_passed else FAILED


def check_text(report: CheckReport) -> str:
    """A line for each condition and for each warning, and the outcome, without a trailing newline."""
    lines = [
        f"{_WORDS[each.outcome]:<8} {one_line(each.condition.text)}: {one_line(each.sentence)}"
        for each in report.judged
    ]
    lines += [f"warning  {one_line(warning)}" for warning in report.warnings]
    against = f" against {report.against}" if report.against else ""
    lines.append(one_line(f"{report.title}{against}: {'passed' if report.has_passed else 'failed'}."))
    return "\n".join(lines)
