"""`spindle run` and `spindle demo`: one run from the terminal, displayed live, stored in the library.

The modules that conduct and display a run are imported when one begins, so that help and completion are fast.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.arming import arm, faults_of
from app.cli.context import Context, pass_context
from app.cli.monitoring import monitoring_of, monitoring_options
from app.cli.options import INPUT_FILE, OUTPUT_FILE, notify_option, parameter_option, target_option, whole_between
from app.cli.problems import print_notice
from app.cli.result_files import STANDARD_OUTPUT, refuse_unwritable, write_results, write_set_results
from app.cli.workload_options import fitted, plan_options, workload_option
from app.display import has_display
from engine.errors import BadInput
from engine.lab.shapes import LAB_NAMES, lab_target
from engine.plan.databases import embedded_target, usual_database
from engine.plan.parameters import COMMON
from engine.plan.plan import RunPlan
from engine.plan.presets import DEMONSTRATION, FAILOVER_MINUTES, demonstration_of
from engine.record.record import RunRecord
from engine.workload.registry import DVD_STORE, find_workload

if TYPE_CHECKING:
    from engine.analysis.comparing.run_set import RunSet
    from engine.library.library import Library


@click.command("run")
@click.argument("plan_file", required=False, type=INPUT_FILE, metavar="[PLAN.toml]")
@target_option
@click.option(
    "--lab",
    type=click.Choice(LAB_NAMES),
    help="Drive the embedded server as one, as a synchronous or asynchronous pair, or as three, with automatic"
    " failover.",
)
@click.option(
    "--load",
    "load_files",
    multiple=True,
    type=INPUT_FILE,
    metavar="FILE",
    help="Add the load of this plan file, which runs at the same time: a mixed run. Repeatable.",
)
@plan_options
@click.option(
    "--mark",
    "marks",
    multiple=True,
    metavar="'M:SS TEXT'",
    help="Set a mark at this time after measuring begins, such as '5:00 Enclosure pulled'. Repeatable.",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="'T+TIME WHAT'",
    help="Inject a fault at this time after measuring begins: 'T+40s kill primary', 'T+0:40 freeze primary for 5s',"
    " \"T+60s sql 'SELECT pg_promote()' on host2\", 'T+30s run /path/tool', \"T+30s ssh root@r630 'reboot -f'\","
    " 'T+30s redfish ForceOff https://bmc as admin', 'T+5:00 mark Enclosure pulled'. Repeatable.",
)
@click.option("--repeat-fault", metavar="'N every TIME'", help="Do each --fault N times, such as '5 every 60s'.")
@click.option(
    "--yes-hurt",
    "names",
    multiple=True,
    metavar="NAME",
    help="The name of what a fault can harm, to arm it without a prompt. Repeatable.",
)
@click.option(
    "--repeat",
    "times",
    type=whole_between(1, 100),
    metavar="N",
    help="Make N runs, one after the other, and store them as a run set with its median run.",
)
@click.option(
    "--configuration",
    default="",
    metavar="NAME",
    help="The hardware configuration (spindle configuration); its machines are read unless --machine names others.",
)
@click.option("--ds2-config", type=INPUT_FILE, metavar="FILE", help="Start from a DVD Store 2 parameter file.")
@click.option("--json", "json_path", type=OUTPUT_FILE, metavar="FILE|-", help="Write the result as JSON.")
@click.option("--csv", "csv_path", type=OUTPUT_FILE, metavar="FILE|-", help="Write a row per client and second.")
@click.option("--quiet", is_flag=True, help="Show no live table.")
@notify_option
@monitoring_options
@pass_context
def run_command(
    context: Context,
    /,
    plan_file: Path | None,
    urls: tuple[str, ...],
    load_files: tuple[Path, ...],
    marks: tuple[str, ...],
    faults: tuple[str, ...],
    repeat_fault: str | None,
    names: tuple[str, ...],
    lab: str | None,
    ds2_config: Path | None,
    json_path: str | None,
    csv_path: str | None,
    quiet: bool,
    times: int | None,
    configuration: str,
    notify_url: str | None,
    metrics_address: str | None,
    grafana_url: str | None,
    **fields: Any,
) -> int:
    """Run a plan: ramp, warm-up, measuring. Ctrl-C stops in order, a second one at once.

    The plan is PLAN.toml or DVD Store 2's parameters, if given, with the options here over it. Users are closed-loop:
    each waits for its order, thinks, and places the next; with --rate, orders are due whether or not answers come.
    Every store must be built and of one size (--db-size checks it); those of the embedded server are built when they
    are missing.

    A run whose end the library can't take, for its disk is full, is printed and written to --json and --csv all the
    same, kept in a file where there is room, and imported when the library is opened with room again. The exit code is
    4 then.

    \b
    Examples:
      spindle run --users 32 --think-time-ms 20 --minutes 5
      spindle run --target postgresql://me@db1/ds2 --databases 4 --users 32 --minutes 30 --reset
      spindle run nightly.toml --tag nightly --json result.json --csv samples.csv
      spindle run --minutes 10 --mark "5:00 Enclosure pulled" --mark "7:00 Restored"
      spindle run --repeat 3 --minutes 30 --reset --users 32 --db-size 40GB
      spindle run --lab pair --minutes 2 --fault "T+40s kill primary" --audit
      spindle run --stages '10 users 2:00, 20 users 2:00, 40 users 2:00'
      spindle run --users 250 --staircase 10:2:00
      spindle run --rate 6000 --users 64 --minutes 10
      spindle run --users 8 --minutes 5 --load wholesale.toml
      spindle run --clients 2 --minutes 1 --json - | jq .opm
    """
    plan = _begin_with(plan_file, ds2_config, context)
    if ds2_config is not None and fields["workload"] not in (None, DVD_STORE):
        raise BadInput(
            f"--ds2-config {ds2_config} is a plan of DVD Store, not of {fields['workload']}; give one of them."
        )
    if urls and lab is not None:
        raise BadInput(f"--lab {lab} and --target are two targets; give one of them.")
    workload = fields["workload"] or plan.workload
    if urls:
        fields["targets"] = context.parse_targets(urls)
    elif lab is not None:
        fields["targets"] = (lab_target(lab).with_database(usual_database(workload)),)
    elif plan_file is None:
        fields["targets"] = (plan.targets[0].with_database(embedded_target(workload).database),)
    fields["faults"] = faults_of(marks, faults, repeat_fault)
    plan = _overridden(plan, fields, load_files)
    if fields["arrivals"] is not None and not plan.is_open_loop:
        raise BadInput(f"--arrivals is {fields['arrivals']}, and the plan has no rate; give --rate, or leave it out.")
    if configuration and not plan.machines:
        plan = replace(plan, machines=_machines_of(context, configuration))
    from engine.notify.webhook import Webhook

    webhook = Webhook.parse(notify_url) if notify_url else None
    refuse_unwritable(json_path, csv_path)
    _print_warnings(plan)
    arm(plan, names)

    from app.cli.conducting import RunOptions, conduct
    from app.cli.repeating import repeat

    paths = (json_path, csv_path)
    with monitoring_of(metrics_address, grafana_url) as monitoring:
        run_options = RunOptions(
            reset=bool(plan.reset), quiet=quiet, audit=bool(plan.audit), webhook=webhook, monitoring=monitoring
        )
        if times is not None:
            return repeat(context, plan, times, run_options, done=_set_writer(*paths), configuration=configuration)
        return conduct(context, plan, run_options, done=_writer(*paths), configuration=configuration)


def _print_warnings(plan: RunPlan) -> None:
    """Print what is allowed and most likely not meant."""
    from engine.draft.combined_fields import same_store_warnings

    for load in plan.loads:
        for warning in same_store_warnings(dict(enumerate(load.targets, start=1)), find_workload(load.workload)):
            print_notice(warning)


def _machines_of(context: Context, configuration: str) -> tuple[str, ...]:
    """The machines of a configuration, for its runs to read."""
    with context.open_library() as library:
        return library.configurations.get(configuration).machines


def _writer(json_path: str | None, csv_path: str | None) -> "Callable[[Library, RunRecord], None]":
    """Prints a run's result, unless a file goes to standard output, and writes its files."""

    def write(library: "Library", record: RunRecord) -> None:
        if STANDARD_OUTPUT not in (json_path, csv_path):
            _show(library, record)
        write_results(library, record, json_path, csv_path)

    return write


def _set_writer(json_path: str | None, csv_path: str | None) -> "Callable[[Library, RunSet], None]":
    """As ``_writer``, for a run set."""

    def write(library: "Library", run_set: "RunSet") -> None:
        from app.cli.set_text import set_text
        from app.cli.terminal import output_width
        from app.library.judgement import warnings_of_set

        if STANDARD_OUTPUT not in (json_path, csv_path):
            records = library.sets.records(run_set.name)
            print(set_text(run_set, records, output_width(), warnings=warnings_of_set(library, records)))
        write_set_results(library, run_set, json_path, csv_path)

    return write


@click.command("demo")
@workload_option
@parameter_option(
    COMMON["minutes"],
    help=f"Minutes to measure; 0 runs until Ctrl-C. [default: {DEMONSTRATION.minutes:g} with {DVD_STORE},"
    f" {FAILOVER_MINUTES:g} with others]",
)
@click.option("--headless", is_flag=True, help="Show it in the terminal even where there is a display.")
@pass_context
def demo_command(context: Context, workload: str | None, minutes: float | None, headless: bool) -> int:
    """A demonstration that needs no server: on the embedded PostgreSQL, for about a minute.

    With the DVD Store it makes the server's data and builds a 100MB store the first time, and drives it with two
    clients of 8 users of 20 ms think time. With another workload, such as wholesale, it drives the practice lab's pair,
    kills the primary half-way, shows the recovery, and audits the run afterwards: every acknowledged order, and what
    the workload says must always hold.

    The run is kept in the library. Where there is a display, a window shows it.
    """
    plan = demonstration_of(workload or DVD_STORE, minutes)
    if has_display() and not headless:
        from app.start import run_window

        return run_window(context.places, demonstration=plan)
    from app.cli.conducting import RunOptions, conduct

    print_notice("a demonstration on the embedded PostgreSQL; Ctrl-C stops it.")
    return conduct(context, plan, RunOptions(reset=True, quiet=False, audit=bool(plan.faults)), done=_show)


def _overridden(plan: RunPlan, fields: Mapping[str, Any], load_files: Sequence[Path] = ()) -> RunPlan:
    """The plan, overridden by the options that were given, with the loads of these files; raises ``BadInput``."""
    given = {name: value for name, value in fields.items() if value is not None and value != ()}
    given = fitted(given, given.get("workload", plan.workload))
    if not load_files:
        return plan.changed(given)
    from engine.plan.file import with_load_files

    machines = {
        name: given.pop(name) for name in ("load_machines",) if name in given
    }  # they drive clients of all loads
    return with_load_files(plan.changed(given), load_files).changed(machines)


def _begin_with(plan_file: Path | None, ds2_config: Path | None, context: Context) -> RunPlan:
    if plan_file is not None and ds2_config is not None:
        raise BadInput(f"{plan_file} and --ds2-config {ds2_config} are two plans; give one of them.")
    if plan_file is not None:
        return _plan_of(plan_file)
    if ds2_config is not None:
        return _ds2_plan_of(ds2_config, context)
    return RunPlan()


def _plan_of(plan_file: Path) -> RunPlan:
    from engine.plan.file import read_plan_file

    if ":/" in str(plan_file) and not plan_file.exists():
        raise BadInput(f"{plan_file} is not a plan file; give a target's URL with --target.")
    return read_plan_file(plan_file)


def _ds2_plan_of(path: Path, context: Context) -> RunPlan:
    from engine.workloads.driver_files import driver_files_of

    files = driver_files_of(DVD_STORE)

    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadInput(f"--ds2-config {path} can't be read ({error.strerror}); check the path.") from error
    found = files.plan_of(files.parse_file(text, str(path)))
    context.secrets.update(found.secrets)
    for warning in found.warnings:
        print_notice(warning)
    return found.plan


def _show(library: "Library", record: RunRecord) -> None:
    from app.cli.audit_text import audit_text
    from app.cli.run_text import loads_text
    from app.cli.terminal import output_width
    from app.library.machines import machines_text
    from engine.analysis.headline import headline_of
    from engine.audit.report import AuditReport

    width = output_width()

    def audit_of(load: RunRecord) -> str:
        if load.audit is None:
            return ""
        return audit_text(AuditReport.from_dict(load.audit), headline_of(load.plan.workload), width)

    if record.plan.is_mixed:
        parts = [*loads_text(library, record, width, more=audit_of), machines_text(library, record)]
    else:
        parts = [*loads_text(library, record, width), machines_text(library, record), audit_of(record)]
    print("\n\n".join(filter(None, parts)))
