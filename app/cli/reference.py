"""`spindle reference`: published results to compare with; the built-in ones are read-only."""

from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

from app.cli.context import Context, pass_context
from app.cli.input_text import read_utf8
from app.cli.options import INPUT_FILE
from app.cli.problems import COMPLETED, print_notice
from app.cli.rate_column import RateColumn
from app.cli.terminal import one_line, print_json, print_table
from app.cli.text_page import plain_table
from engine.analysis.comparing.configuration import factor_of
from engine.analysis.comparing.economics import money_text
from engine.analysis.comparing.references import Reference, read_references, typed_reference
from engine.errors import BadInput
from engine.figure_text import decimal, duration, variability_text
from engine.workload.registry import DVD_STORE

_NUMBERS = ("variability %", "cost")


@click.group("reference")
def reference_command() -> None:
    """Published results to compare with, each with its source.

    Those that come with Spindle are read-only; your own are added one by one or from a CSV.

    \b
    Examples:
      spindle reference list
      spindle reference add --name 'R740, 4 databases' --source 'our report of May' --rate 90,000 --factor databases=4
      spindle reference add published.csv
    """


@reference_command.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of references.")
@pass_context
def list_command(context: Context, as_json: bool) -> int:
    """List the references with their sources."""
    with context.open_library() as library:
        found = library.references.all()
    if as_json:
        print_json([each.to_dict() | {"is_shipped": each.is_shipped} for each in found])
        return COMPLETED
    print_table(_table(found))
    print()
    for source in dict.fromkeys(each.source for each in found):
        print(f"[{_sources(found)[source]}] {one_line(source)}")
    return COMPLETED


@reference_command.command("show")
@click.argument("name")
@pass_context
def show_command(context: Context, name: str) -> int:
    """Show the reference NAME, or of which alone it is the beginning."""
    with context.open_library() as library:
        found = library.references.get(name)
    rate = found.total_headline_rate
    lines = [
        (found.headline.label, "" if rate is None else found.headline.text(rate)),
        ("clients", " / ".join(found.headline.text(each) for each in found.client_headline_rates)),
        ("variability", "" if found.variability_pct is None else variability_text(found.variability_pct)),
        ("cost", "" if found.cost is None else money_text(found.cost, found.currency)),
        ("failover", _failover(found)),
        *found.factors.items(),
        ("note", found.note),
        ("source", found.source),
    ]
    print(one_line(found.name))
    for label, text in lines:
        if text:
            print(f"{one_line(label):<16} {one_line(text)}")
    return COMPLETED


@reference_command.command("add")
@click.argument("path", type=INPUT_FILE, required=False, metavar="[FILE.csv]")
@click.option("--name", metavar="TEXT", help="Its name.")
@click.option("--source", metavar="TEXT", help="Where it was published.")
@click.option("--workload", metavar="ID", help=f"The workload that was driven. [default: {DVD_STORE}]")
@click.option(
    "--rate",
    "--opm",
    "headline_rate",
    metavar="N",
    help="The headline rate of all clients: OPM of the DVD Store, NOPM of Wholesale.",
)
@click.option("--clients", metavar="'N; N …'", help="The rate of each client.")
@click.option("--cost", metavar="AMOUNT", help="The price of what was measured, such as 10,994.88.")
@click.option("--currency", metavar="SIGN", help="$, €, £, ¥ or a code such as USD. [default: $]")
@click.option(
    "--rate-before",
    "--opm-before",
    "headline_rate_before",
    metavar="N",
    help="A failover test's running rate before the event.",
)
@click.option("--rate-lowest", "--opm-lowest", "headline_rate_lowest", metavar="N", help="The lowest that it fell to.")
@click.option("--stabilised-seconds", "stabilised_seconds", metavar="S", help="From the event to the lowest.")
@click.option("--back-seconds", "back_seconds", metavar="S", help="From the lowest to the level before.")
@click.option("--note", metavar="TEXT", help="A note to keep with it.")
@click.option("--factor", "factors", multiple=True, metavar="NAME=VALUE", help="Such as databases=4. Repeatable.")
@click.option("--replace", "overwrite", is_flag=True, help="Replace one of the same name.")
@pass_context
def add_command(
    context: Context,
    /,
    path: Path | None,
    factors: tuple[str, ...],
    overwrite: bool,
    **typed: str | None,
) -> int:
    """Add references of your own.

    One comes from the options, or several from a CSV, a row each. Its columns are name, source, workload, opm, clients,
    cost, currency, opm_before, opm_lowest, stabilised_seconds, back_seconds, note; of Wholesale nopm, nopm_before and
    nopm_lowest. Any other column is a factor.
    """
    given = {name: text for name, text in typed.items() if text is not None}
    if (path is not None) == bool(given or factors):
        raise BadInput("a reference comes from a CSV or from options; give one of them.")
    if path is not None:
        references = read_references(read_utf8(path), str(path))
    else:
        references = [typed_reference(given, dict(map(factor_of, factors)))]
    with context.open_library() as library:
        added = library.references.add(references, overwrite=overwrite)
    print_notice("added " + ", ".join(f"'{each.name}'" for each in added) + ".")
    return COMPLETED


@reference_command.command("remove")
@click.argument("name")
@pass_context
def remove_command(context: Context, name: str) -> int:
    """Remove the reference NAME, which is your own."""
    with context.open_library() as library:
        gone = library.references.remove(name)
    print_notice(f"removed '{gone.name}'.")
    return COMPLETED


def _sources(found: Sequence[Reference]) -> dict[str, int]:
    return {source: number for number, source in enumerate(dict.fromkeys(each.source for each in found), start=1)}


def _table(found: Sequence[Reference]) -> Table:
    numbers, metric = _sources(found), RateColumn(each.headline for each in found)
    texts, columns = ("failover", "measured with"), (metric.title, *_NUMBERS)
    table = plain_table(("reference", *columns, *texts, "source"), numbers=columns, folding=("reference", *texts))
    for each in found:
        table.add_row(
            one_line(each.name),
            metric.text(each.headline, each.total_headline_rate),
            decimal(each.variability_pct, 2),
            money_text(each.cost, each.currency),
            _failover(each),
            one_line(", ".join(f"{name} {value}" for name, value in each.factors.items())),
            f"[{numbers[each.source]}]" + ("" if each.is_shipped else " own"),
        )
    return table


def _failover(reference: Reference) -> str:
    if reference.headline_rate_before is None:
        return ""
    text = reference.headline.text
    parts = [f"{text(reference.headline_rate_before)} → {text(reference.headline_rate_lowest)}"]
    known = (reference.stabilised_seconds, reference.back_seconds)
    parts += [duration(seconds) for seconds in known if seconds is not None]
    return ", ".join(parts)
