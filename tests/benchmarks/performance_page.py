"""Writes the help's page on performance from the figures of a whole ``make bench``; ``make performance`` runs it.

The method of each section is its module's docstring. Quick runs and runs of some sections are refused: every figure of
the page is of one run on one machine.
"""

import ast
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.__main__ import FIGURES, FORMAT, SECTIONS
from tests.benchmarks.figures import Goal

PAGE = Path(__file__).parents[2] / "resources" / "help" / "performance.md"
_INTRODUCTION = """\
# How fast, how true

`make bench` measures on this machine, in one run, prints each figure beside its goal and writes all of them with every
round to `build/bench.json`. `make bench BENCH='--only speed'` runs one part ({sections}); `--rounds`, `--seconds`,
`--users 8,32`, `--ticks` and `--json FILE` choose, `--quick` only tries it out. It sets up what the tests need; the
embedded PostgreSQL brings pgbench and psql.

What stands in a table is the median of the rounds with the least and the most beside it; relations (×) are taken round
by round. A goal is judged by the median, one of every round by the worst.

Measured on {day}, {rounds} rounds of {seconds} s unless a part says otherwise, on {processors} × {processor},
{memory} GB, {system} {release}; PostgreSQL {postgresql}, Python {python}, psycopg {psycopg}, Spindle {spindle}.
"""


class UnfitError(Exception):
    """Why figures do not make the page."""


def page_of(measured: Mapping[str, Any]) -> str:
    """The page in Markdown, from the plain values of ``build/bench.json``; raises ``UnfitError``."""
    missing = [name for name in SECTIONS if not measured.get("sections", {}).get(name)]
    if measured.get("format") != FORMAT:
        raise UnfitError(f"the figures have the format {measured.get('format')}, not {FORMAT}; run make bench again")
    if measured["quick"]:
        raise UnfitError("the figures are of a quick run, which are not to be quoted; run make bench without --quick")
    if missing:
        raise UnfitError(f"the figures lack {', '.join(missing)}; run make bench without --only")
    machine, versions = measured["machine"], measured["versions"]
    introduction = _INTRODUCTION.format(
        sections=", ".join(f"`{name}`" for name in SECTIONS),
        day=datetime.fromisoformat(measured["measured_at"]).date().isoformat(),
        rounds=measured["rounds"],
        seconds=measured["seconds"],
        memory=round(machine["memory_mb"] / 1024),
        **{name: machine[name] for name in ("processors", "processor", "system", "release", "python")},
        **{name: versions[name] for name in ("postgresql", "psycopg", "spindle")},
    )
    return "\n".join([introduction, *(_section(name, measured["sections"][name]) for name in SECTIONS)])


def _section(name: str, figures: Sequence[Mapping[str, Any]]) -> str:
    heading, _, method = _docstring(name).partition("\n\n")
    rows = "\n".join(_row(each) for each in figures)
    method = f"{method}\n\n" if method else ""
    return f"## `{name}`\n\n{heading}\n\n{method}| figure | measured | goal | |\n|---|---|---|---|\n{rows}\n"


def _docstring(name: str) -> str:
    """A section's docstring in Markdown, without importing the section: its libraries are not needed here."""
    source = (Path(__file__).parent / f"{name}_benchmark.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").replace("``", "`")


def _row(figure: Mapping[str, Any]) -> str:
    measured = _number(figure["median"])
    if len(figure["rounds"]) > 1:
        measured += f" [{_number(figure['min'])}–{_number(figure['max'])}]"
    goal = Goal(**figure["goal"]) if "goal" in figure else ""
    return f"| {figure['name']} | {measured} {figure['unit']} | {goal} | {figure.get('verdict', '')} |"


def _number(value: float) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def main() -> int:
    try:
        page = page_of(json.loads(FIGURES.read_text(encoding="utf-8")))
    except FileNotFoundError:
        print(f"{FIGURES} does not exist; run make bench first", file=sys.stderr)
        return 1
    except UnfitError as why:
        print(f"{FIGURES}: {why}", file=sys.stderr)
        return 1
    PAGE.write_text(page, encoding="utf-8")
    print(f"the figures are in {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
