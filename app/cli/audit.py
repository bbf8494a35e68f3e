"""`spindle audit`: whether every acknowledged order of a run is on the server."""

import click

from app.cli.context import COMMAND_LINE, Context, pass_context
from app.cli.options import OUTPUT_FILE, complete_run
from app.cli.problems import print_notice


@click.command("audit")
@click.argument("reference", metavar="[RUN]", default="last", shell_complete=complete_run)
@click.option("--json", "json_path", type=OUTPUT_FILE, metavar="FILE|-", help="Write the report as JSON.")
@pass_context
def audit_command(context: Context, reference: str, json_path: str | None) -> int:
    """Compare the orders acknowledged to RUN's clients with what the server holds now; the verdict is kept in the run.

    RUN is a run's id, the beginning of one, or `last`, which is the default. While it runs, each client writes every
    acknowledged order and every purchase in doubt to a ledger next to the library; the audit looks all of them up. It
    only reads from the server, and works until the store is reset or replaced; after that the run keeps what an earlier
    audit found.

    \b
    Lost       acknowledged, and not on the server.
    Replaced   acknowledged, but the server holds another order under that id.
    In doubt   the answer never came; it may be on the server or not.
    Cut off    on the server; its client ended before the answer came (Stop now, or it was killed).
    Unknown    on the server, but not acknowledged to any client.

    Ends with 0 when every acknowledged order is there, 3 when some were lost, 1 when that can't be determined, no order
    was acknowledged, or there are irregularities.

    \b
    Examples:
      spindle audit
      spindle audit 20261121-05 --json - | jq .verdict
    """
    from app.cli.audit_text import audit_exit_code, audit_text
    from app.cli.result_files import STANDARD_OUTPUT, opened, refuse_unwritable
    from app.cli.terminal import output_width, print_json, progress_shown
    from engine.analysis.headline import headline_of
    from engine.conduct.after_run import audit_after_run
    from engine.databases.lease import Claim
    from engine.record.record import split_reference

    refuse_unwritable(json_path)
    with context.open_library() as library, context.open_targets() as targets:
        record = library.run(split_reference(library.run(reference).run_id)[0])
        with progress_shown("auditing") as (report_progress, flag):
            report = audit_after_run(
                library,
                record.run_id,
                targets.resolve,
                report_progress=report_progress,
                cancelled=flag.is_set,
                timeouts=targets.timeouts,
                claim=Claim(purpose=f"audit of run '{record.name or record.run_id}'", program=COMMAND_LINE),
                notify=print_notice,
            )
    if json_path != STANDARD_OUTPUT:
        titles = [f"{title}:\n" for title in record.plan.titles] if record.plan.is_mixed else [""]
        for title, load, of_load in zip(titles, record.plan.loads, report.loads, strict=True):
            print(title + audit_text(of_load, headline_of(load.workload), output_width()))
    if json_path is not None:
        with opened(json_path) as file:
            print_json({"run_id": record.run_id, **report.to_dict()}, file)
    return audit_exit_code(report)
