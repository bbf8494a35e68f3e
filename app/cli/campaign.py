"""`spindle campaign`: steps around runs, such as reset, restart, wait, idle and run; sweeps; searches."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.cli.context import COMMAND_LINE, Context, pass_context
from app.cli.monitoring import monitoring_of, monitoring_options
from app.cli.options import INPUT_FILE, OUTPUT_FILE, complete_campaign, notify_option
from app.cli.problems import COMPLETED, FAILED, ORDERS_LOST, STOPPED, print_notice
from app.cli.terminal import one_line, print_json, print_table
from app.cli.text_page import plain_table
from engine.errors import TargetError, UserError

if TYPE_CHECKING:
    from app.cli.campaign_progress import CampaignProgress
    from engine.campaign.plan import CampaignPlan
    from engine.conduct.targets import Targets
    from engine.library.campaigns import CampaignJournal
    from engine.library.library import Library
    from engine.report.campaign.tree import CampaignTree

_FILE_ENDING = ".toml"


_file_argument = click.argument("file", type=INPUT_FILE, metavar="FILE.toml")
_name_argument = click.argument("reference", metavar="NAME|FILE.toml", shell_complete=complete_campaign)
_hurt_option = click.option(
    "--yes-hurt",
    "names",
    multiple=True,
    metavar="NAME",
    help="The name of what an action or a fault can harm, to arm it without a prompt. Repeatable.",
)
_json_option = click.option("--json", "json_path", type=OUTPUT_FILE, metavar="FILE|-", help="Write the result as JSON.")
_quiet_option = click.option("--quiet", is_flag=True, help="Show neither progress nor live tables of runs.")


@click.group("campaign")
def campaign_command() -> None:
    """Campaigns: steps around runs, carried out one after the other, with a journal.

    FILE.toml is a campaign file: its steps reset stores, act on servers, wait, idle, run N times, sweep over fields of
    the plan, and search for the highest value that holds a condition. NAME is a campaign's name in the library, or the
    beginning of just one. A campaign that was stopped or killed is resumed where it was.

    \b
    Examples:
      spindle campaign check published.toml
      spindle campaign run published.toml
      spindle campaign resume published
      spindle campaign status published
      spindle campaign report published --out published.html
    """


@campaign_command.command("run", short_help="Carry a campaign file out.")
@_file_argument
@click.option("--name", default="", metavar="NAME", help="The campaign's name. [default: as in the file]")
@_hurt_option
@_json_option
@_quiet_option
@notify_option
@monitoring_options
@pass_context
def run_command(
    context: Context,
    file: Path,
    name: str,
    names: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
    notify_url: str | None,
    metrics_address: str | None,
    grafana_url: str | None,
) -> int:
    """Carry the campaign in FILE out. Ctrl-C ends the run in progress in order, and the campaign; a second one at once.

    Everything that can be checked is checked before the first step: files, fields, stores, actions, conditions.
    Passwords are asked for then.
    """
    from app.cli.arming import arm_campaign
    from app.cli.campaign_progress import CampaignProgress
    from engine.campaign.file import read_campaign_file

    plan = read_campaign_file(file)
    plan = replace(plan, name=name) if name else plan
    arm_campaign(plan, names)

    def begin(library: "Library", targets: "Targets") -> "CampaignJournal":
        _check(plan, library, targets)
        return library.campaigns.begin(plan)

    with monitoring_of(metrics_address, grafana_url) as monitoring:
        progress = CampaignProgress(quiet=quiet, monitoring=monitoring)
        return _carry_out(context, plan.name, begin, json_path, progress, notify_url=notify_url)


@campaign_command.command("resume")
@_name_argument
@_hurt_option
@_json_option
@_quiet_option
@notify_option
@monitoring_options
@pass_context
def resume_command(
    context: Context,
    reference: str,
    names: tuple[str, ...],
    json_path: str | None,
    quiet: bool,
    notify_url: str | None,
    metrics_address: str | None,
    grafana_url: str | None,
) -> int:
    """Go on with a campaign that was stopped, failed or killed.

    What was done is not done again, and no run that completed is repeated. The steps that prepared a run which did not
    complete are done again with it.
    """
    from app.cli.arming import arm_campaign
    from app.cli.campaign_progress import CampaignProgress

    def begin(library: "Library", targets: "Targets") -> "CampaignJournal":
        record = library.campaigns.get(_name_of(reference))
        arm_campaign(record.plan, names)
        _check(record.plan, library, targets, is_resumed=True)
        return library.campaigns.resume(record.name)

    with monitoring_of(metrics_address, grafana_url) as monitoring:
        progress = CampaignProgress(quiet=quiet, monitoring=monitoring)
        return _carry_out(context, _name_of(reference), begin, json_path, progress, notify_url=notify_url)


@campaign_command.command("check", short_help="Check a campaign file, and list its steps.")
@_file_argument
@pass_context
def check_command(context: Context, file: Path) -> int:
    """Check the campaign in FILE as `run` does before its first step, and list its steps; nothing is changed."""
    from engine.campaign.file import read_campaign_file

    plan = read_campaign_file(file)
    with context.open_library() as library, context.open_targets() as targets:
        _check(plan, library, targets)
    print(f"{one_line(plan.name)}: {plan.size}")
    for number, step in enumerate(plan.steps, start=1):
        print(f"  {number}. {one_line(step.sentence)}")
        for inner in getattr(step, "steps", ()):
            print(f"     - {one_line(inner.sentence)}")
    return COMPLETED


@campaign_command.command("status", short_help="Show how far a campaign is: steps, runs, points.")
@_name_argument
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@pass_context
def status_command(context: Context, reference: str, as_json: bool) -> int:
    """Show how far a campaign is: its journal, its runs by point with their median run, and what was done again."""
    from app.cli.campaign_text import campaign_text
    from app.cli.terminal import output_width
    from engine.report.campaign.result import campaign_result
    from engine.report.campaign.tree import read_tree

    with context.open_library() as library:
        tree = read_tree(library, library.campaigns.get(_name_of(reference)))
    if as_json:
        print_json(campaign_result(tree))
    else:
        print(campaign_text(tree, output_width()))
    return COMPLETED


@campaign_command.command("stop", short_help="Stop a campaign that another program carries out.")
@_name_argument
@pass_context
def stop_command(context: Context, reference: str) -> int:
    """Ask the program that carries the campaign out to stop it: the run in progress ends in order."""
    with context.open_library() as library:
        record = library.campaigns.request_stop(_name_of(reference))
    print_notice(f"campaign '{record.name}' is asked to stop; the run in progress ends in order.")
    return COMPLETED


@campaign_command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of campaigns.")
@pass_context
def list_command(context: Context, as_json: bool) -> int:
    """List the campaigns, the newest first."""
    from engine.report.campaign.result import campaign_head

    with context.open_library() as library:
        found = library.campaigns.all()
    if as_json:
        print_json([campaign_head(record) for record in found])
        return COMPLETED
    if not found:
        print_notice("the library has no campaign; start one with: spindle campaign run FILE.toml")
        return COMPLETED
    numbers = ("steps", "runs")
    table = plain_table(("made", "campaign", "state", *numbers, "why"), numbers=numbers, folding=("campaign", "why"))
    for record in found:
        table.add_row(
            record.made_at.astimezone().strftime("%Y-%m-%d %H:%M"),
            one_line(record.name),
            record.state.value,
            str(len(record.last_entries())),
            str(len(set(record.run_ids))),
            one_line(record.reason),
        )
    print_table(table)
    return COMPLETED


@campaign_command.command("report", short_help="Write a campaign as HTML or PDF.")
@_name_argument
@click.option(
    "--out",
    "out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html|FILE.pdf",
    help="The file to write; an existing one is replaced.",
)
@click.option("--title", default="", metavar="TEXT", help="The document's title. [default: the campaign's name]")
@pass_context
def report_command(context: Context, reference: str, out: Path, title: str) -> int:
    """Write a campaign as a document: its runs by point with their medians, charts over swept fields, searches with
    their paths, all warnings, what was done again, and the journal.

    No document holds a command, a statement, a password or a user's name.
    """
    from app.cli.report import make_and_write
    from engine.report.document import DocumentKind
    from engine.report.making import ReportRequest

    request = ReportRequest(named=(_name_of(reference),), kind=DocumentKind.CAMPAIGN, title=title)
    return make_and_write(context, request, out)


@campaign_command.command("delete", short_help="Delete a campaign; its runs stay.")
@_name_argument
@pass_context
def delete_command(context: Context, reference: str) -> int:
    """Delete a campaign and its journal; its runs and sets stay in the library."""
    with context.open_library() as library:
        gone = library.campaigns.delete(_name_of(reference))
    print_notice(f"deleted campaign '{gone.name}'; its {len(set(gone.run_ids))} runs are kept.")
    return COMPLETED


def _name_of(reference: str) -> str:
    """The name of a campaign, or that in a campaign file."""
    if not reference.endswith(_FILE_ENDING):
        return reference
    from engine.campaign.file import read_campaign_file

    return read_campaign_file(Path(reference)).name


def _check(plan: "CampaignPlan", library: "Library", targets: "Targets", *, is_resumed: bool = False) -> None:
    from app.cli.terminal import progress_shown
    from engine.conduct.campaign.checking import check_campaign

    with progress_shown("") as (report_progress, flag):
        check_campaign(
            plan,
            library,
            targets,
            notify=print_notice,
            report_progress=report_progress,
            cancelled=flag.is_set,
            is_resumed=is_resumed,
        )


def _carry_out(
    context: Context,
    name: str,
    begin: "Callable[[Library, Targets], CampaignJournal]",
    json_path: str | None,
    progress: "CampaignProgress",
    *,
    notify_url: str | None,
) -> int:
    from app.cli.campaign_text import campaign_text
    from app.cli.conducting import notify
    from app.cli.result_files import STANDARD_OUTPUT, opened, refuse_unwritable
    from app.cli.terminal import never_paused, on_interrupt, output_width
    from engine.conduct.campaign.campaign_run import carry_out
    from engine.conduct.campaign.running import RunSetting
    from engine.conduct.campaign.stopping import Stopping
    from engine.databases.lease import Claim
    from engine.notify.notices import CampaignNotice
    from engine.notify.webhook import Webhook
    from engine.report.campaign.result import campaign_result
    from engine.report.campaign.tree import read_tree

    refuse_unwritable(json_path)
    webhook = Webhook.parse(notify_url) if notify_url else None
    stopping = Stopping()
    with context.open_library_to_write() as library, context.open_targets() as targets:
        try:
            journal = begin(library, targets)
        except (UserError, TargetError) as error:
            notify(webhook, CampaignNotice.not_started(name, error))
            raise
        begun = journal.record()
        setting = RunSetting(
            library=library,
            targets=targets,
            configuration=begun.plan.configuration,
            claim=Claim(purpose=f"campaign '{begun.name}'", program=COMMAND_LINE),
            notify=print_notice,
            view_of=progress.view_of,
            stopping=stopping,
        )
        with on_interrupt(stopping.ask), never_paused():
            record = carry_out(setting, journal, on_event=progress.on_event)
        tree = read_tree(library, record)
    if json_path != STANDARD_OUTPUT:
        print(campaign_text(tree, output_width()))
    if json_path is not None:
        with opened(json_path) as file:
            print_json(campaign_result(tree), file)
    notify(webhook, CampaignNotice.of(tree))
    return _exit_code(tree)


def _exit_code(tree: "CampaignTree") -> int:
    """That of the campaign's end; lost orders in any of its runs come before its completion."""
    from engine.audit.report import AuditReport, Verdict
    from engine.campaign.journal import CampaignState

    match tree.campaign.state:
        case CampaignState.STOPPED:
            return STOPPED
        case CampaignState.COMPLETED:
            audits = [AuditReport.from_dict(run.audit) for run in tree.runs if run.audit is not None]
            return ORDERS_LOST if any(audit.worst_verdict is Verdict.LOST for audit in audits) else COMPLETED
        case _:
            return FAILED
