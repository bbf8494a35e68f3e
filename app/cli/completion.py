"""`spindle completion`: the script for shell completion."""

import click
from click.shell_completion import get_completion_class

from app.cli.problems import COMPLETED


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> int:
    """Print the script that makes a shell complete commands, options, states, sizes and run ids.

    \b
    bash:  eval "$(spindle completion bash)"      in ~/.bashrc
    zsh:   eval "$(spindle completion zsh)"       in ~/.zshrc
    fish:  spindle completion fish | source      in ~/.config/fish/config.fish
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    print(completion_class(context.find_root().command, {}, "spindle", "_SPINDLE_COMPLETE").source())
    return COMPLETED
