"""`spindle host`: measurements of a run's machines, from host counters or a power meter."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from app.cli.context import Context, pass_context
from app.cli.options import INPUT_FILE, NUMBER, OUTPUT_FILE, WHOLE, run_argument
from app.cli.problems import COMPLETED, print_notice
from app.cli.terminal import one_line, print_json, print_table
from app.cli.text_page import plain_table
from engine.analysis.host.measurement import HostMeasurement
from engine.figure_text import decimal, signed, significant
from engine.record.record import RunRecord

_number_argument = click.argument("number", type=WHOLE, metavar="NUMBER")


@click.group("host")
def host_command() -> None:
    """CPU, disk, network and power figures of a run's machines, averaged over its measuring phase.

    It reads the performance monitor's CSV (Windows; relog converts a .blg), `sar` and `sadf -d`, `iostat -x -t`,
    esxtop's batch CSV, and a power meter's CSV of times and watts; a run reads machines itself with `spindle run
    --machine`. RUN is a run's id, the beginning of one, or `last`.

    \b
    Examples:
      spindle host import last perfmon.csv
      spindle host import last meter.csv --shift 90 --note 'meter behind the enclosure'
      spindle host shift last 2 -90
      spindle host export last readings.csv
    """


@host_command.command("import")
@run_argument
@click.argument("path", type=INPUT_FILE, metavar="FILE")
@click.option(
    "--shift",
    "shift_seconds",
    type=NUMBER,
    default=0.0,
    metavar="SECONDS",
    help="How far its clock was behind.",
)
@click.option(
    "--zone", metavar="ZONE", help="Time zone of times without one, such as Europe/Berlin. [default: this machine's]"
)
@click.option(
    "--source",
    default="",
    metavar="TEXT",
    help="What was measured; of a meter the device, whose typed watts it then stands for."
    " [default: the name in the file]",
)
@click.option("--note", default="", metavar="TEXT", help="A note to keep with it.")
@pass_context
def import_command(
    context: Context,
    reference: str,
    path: Path,
    shift_seconds: float,
    zone: str | None,
    source: str,
    note: str,
) -> int:
    """Store the measurements of FILE with RUN.

    Its means over the run's measuring phase are shown. Gaps stay gaps. When the clocks differed, --shift or
    `spindle host shift` moves the file on the run's time axis.
    """
    from app.library.host_jobs import host_remarks, import_host_file, zone_of

    with context.open_library() as library:
        record = library.run(reference)
        kept, file = import_host_file(
            library,
            record,
            path,
            source=source,
            zone=None if zone is None else zone_of(zone),
            shift_seconds=shift_seconds,
            note=note,
        )
        remarks = host_remarks(library, record)
    for sentence in file.notes:
        print_notice(f"{path.name}: {sentence}")
    _show(record, [kept], remarks)
    return COMPLETED


@host_command.command("list")
@run_argument
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of measurements.")
@pass_context
def list_command(context: Context, reference: str, as_json: bool) -> int:
    """List the host measurements of RUN, with their means."""
    from app.library.host_jobs import host_remarks

    with context.open_library() as library:
        record = library.run(reference)
        measurements = library.host.of_run(record.run_id)
        remarks = host_remarks(library, record)
    if as_json:
        print_json([_plain(record, each) for each in measurements])
    elif measurements:
        _show(record, measurements, remarks)
    else:
        print_notice(f"run {record.run_id} has no host measurements; add some with: spindle host import")
    return COMPLETED


@host_command.command("export")
@run_argument
@click.argument("path", type=OUTPUT_FILE, metavar="FILE|-")
@pass_context
def export_command(context: Context, reference: str, path: str) -> int:
    """Write all readings of RUN's hosts and meters to FILE as CSV.

    It has a row for each value, of imported files and of the machines that the run read; `-` is standard output.
    """
    from app.cli.result_files import opened, refuse_unwritable
    from app.library.jobs import host_measurements
    from engine.report.host_csv import write_host_csv

    refuse_unwritable(path)
    with context.open_library() as library:
        record = library.run(reference)
        measurements = host_measurements(library, record)
    with opened(path) as file:
        write_host_csv(file, record, measurements)
    return COMPLETED


@host_command.command("shift", context_settings={"ignore_unknown_options": True})
@run_argument
@_number_argument
@click.argument("seconds", type=NUMBER, metavar="SECONDS")
@pass_context
def shift_command(context: Context, reference: str, number: int, seconds: float) -> int:
    """Shift measurement NUMBER of RUN by SECONDS.

    Positive values move it later: 90 for a clock that was 90 s behind. The shift is from the times measured,
    not from an earlier shift.
    """
    from app.library.host_jobs import host_remarks

    with context.open_library() as library:
        record = library.run(reference)
        library.host.shift(record.run_id, number, seconds)
        moved = [each for each in library.host.of_run(record.run_id) if each.number == number]
        remarks = host_remarks(library, record)
    _show(record, moved, remarks)
    return COMPLETED


@host_command.command("note")
@run_argument
@_number_argument
@click.argument("text")
@pass_context
def note_command(context: Context, reference: str, number: int, text: str) -> int:
    """Set the note of a measurement; an empty one removes it."""
    with context.open_library() as library:
        library.host.set_note(library.run(reference).run_id, number, text)
    return COMPLETED


@host_command.command("remove")
@run_argument
@_number_argument
@pass_context
def remove_command(context: Context, reference: str, number: int) -> int:
    """Take measurement NUMBER out of RUN for good."""
    with context.open_library() as library:
        gone = library.host.remove(library.run(reference).run_id, number)
    print_notice(f"removed {gone.file_name} ({gone.kind}).")
    return COMPLETED


def _show(record: RunRecord, measurements: Sequence[HostMeasurement], remarks: Sequence[str]) -> None:
    from app.library.host_jobs import host_means, missing_sentences

    numbers = ("mean", "lowest", "highest", "covered %")
    table = plain_table(("", "source", "figure", "unit", *numbers), numbers=numbers, folding=("source",))
    sentences = []
    for measurement in measurements:
        means = host_means(record, measurement)
        for each in means:
            series, mean = each.series, each.mean
            figures = (None,) * 4 if mean is None else (mean.mean, mean.lowest, mean.highest, mean.covered_pct)
            table.add_row(
                str(measurement.number),
                one_line(series.source),
                one_line(series.label),
                series.unit,
                *map(significant, figures[:3]),
                decimal(figures[3]),
            )
        sentences += [_head(measurement), *(f"   {each}" for each in missing_sentences(measurement, means))]
    print_table(table)
    print("\n" + "\n".join([*sentences, *remarks]))


def _head(measurement: HostMeasurement) -> str:
    from app.library.host_jobs import begins_at

    begins = begins_at(measurement)
    parts = [f"{measurement.number}: {one_line(measurement.file_name)}, {measurement.kind}"]
    parts += [f"from {begins:%Y-%m-%d %H:%M:%S}"] if begins is not None else []
    parts += [f"shifted by {signed(measurement.shift_seconds, 1)} s"] if measurement.shift_seconds else []
    parts += [one_line(measurement.note)] if measurement.note else []
    return ", ".join(parts)


def _plain(record: RunRecord, measurement: HostMeasurement) -> dict[str, Any]:
    from app.library.host_jobs import host_means

    return {
        "number": measurement.number,
        "kind": measurement.kind,
        "file_name": measurement.file_name,
        "shift_seconds": measurement.shift_seconds,
        "note": measurement.note,
        "series": [
            {
                "source": each.series.source,
                "device": each.series.device,
                "name": each.series.name,
                "unit": each.series.unit,
                "samples": len(each.series.values),
                "mean": None if each.mean is None else each.mean.mean,
                "lowest": None if each.mean is None else each.mean.lowest,
                "highest": None if each.mean is None else each.mean.highest,
                "covered_pct": None if each.mean is None else each.mean.covered_pct,
            }
            for each in host_means(record, measurement)
        ],
    }
