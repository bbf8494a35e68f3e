"""A command group that imports a command's module only when the command is called, so that help and completion are
fast: for `spindle` and `spindle library`."""

import difflib
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from engine.errors import BadInput


class LazyCommand(NamedTuple):
    """A command's module and its line in the list of commands."""

    module: str
    line: str


class LazyGroup(click.Group):
    """A group whose command ``two-words`` is ``two_words_command`` in its module."""

    def __init__(self, *arguments: Any, lazy_commands: Mapping[str, LazyCommand], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._lazy_commands = lazy_commands

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(self._lazy_commands)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in self._lazy_commands:
            return None
        command: click.Command = getattr(
            import_module(self._lazy_commands[name].module), f"{name.replace('-', '_')}_command"
        )
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click; raises ``BadInput`` that suggests the nearest command for an unknown one."""
        name = args[0]
        if name not in self._lazy_commands and not name.startswith("-") and not context.resilient_parsing:
            near = difflib.get_close_matches(name, self._lazy_commands, n=1)
            hint = f"did you mean '{near[0]}'" if near else f"see {context.command_path} --help"
            raise BadInput(f"command '{context.command_path} {name}' is not known; {hint}.")
        return super().resolve_command(context, args)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.line) for name, command in self._lazy_commands.items()])

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [
            CompletionItem(name, help=command.line)
            for name, command in self._lazy_commands.items()
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, context, incomplete)
