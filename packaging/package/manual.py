"""Prints the manual page spindle(1), made from the help of the command line."""

import re
import sys
from inspect import cleandoc

import click

from app.cli.main import spindle
from engine.workstation import application_version


def manual_page() -> str:
    """The page in troff's man macros: the program's help, then each command with its options."""
    context = click.Context(spindle, info_name="spindle")
    lines = [
        f'.TH SPINDLE 1 "" "Spindle {application_version()}" "User commands"',
        ".SH NAME",
        r"spindle \- workbench for OLTP benchmarks",
        ".SH SYNOPSIS",
        r".B spindle",
        _escaped("[OPTIONS] [COMMAND [ARGUMENTS]...]"),
        ".SH DESCRIPTION",
        *_paragraphs(spindle.help or ""),
        ".SH OPTIONS",
        *_options(spindle, context),
        ".SH COMMANDS",
        *_commands(spindle, context),
    ]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, context: click.Context) -> list[str]:
    lines: list[str] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        if command.hidden:
            continue
        own = click.Context(command, info_name=name, parent=context)
        usage = " ".join([own.command_path, *command.collect_usage_pieces(own)])
        lines += [f'.SS "{_escaped(usage)}"', *_paragraphs(command.help or ""), *_options(command, own)]
        if isinstance(command, click.Group):
            lines += _commands(command, own)
    return lines


def _options(command: click.Command, context: click.Context) -> list[str]:
    lines = []
    for parameter in command.get_params(context):
        if (record := parameter.get_help_record(context)) is not None:
            lines += [".TP", f"\\fB{_escaped(record[0])}\\fR", _escaped(" ".join(record[1].split()))]
    return lines


def _paragraphs(text: str) -> list[str]:
    r"""The paragraphs of click's help; lines of one that begins with ``\b`` stay as they are."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", _dedented(text)):
        if paragraph.startswith("\b"):
            lines += [".PP", ".nf", *map(_escaped, paragraph.splitlines()[1:]), ".fi"]
        else:
            lines += [".PP", _escaped(" ".join(paragraph.split()))]
    return lines


def _dedented(text: str) -> str:
    return cleandoc(text).partition("\f")[0].strip()


def _escaped(text: str) -> str:
    """Text as troff prints it: a period or quote that begins a line is no macro."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    sys.stdout.write(manual_page())
