"""`spindle password`: keep a target's password in the system's keyring, so that no command has to hold it."""

import click
import keyring
from keyring.errors import KeyringError

from app.cli.context import Context, pass_context
from app.problems import COMPLETED, say
from engine.errors import BadInput, UserError
from engine.secrets import KEYRING_SERVICE


@click.command("password")
@click.argument("url", metavar="URL")
@click.option("--forget", is_flag=True, help="Remove it from the keyring.")
@pass_context
def password_command(context: Context, url: str, forget: bool) -> int:
    """Keep the password of a target's server and user in the system's keyring; asks for it."""
    (target,) = context.parse_targets([url])
    name = target.secret_name
    if name in context.secrets:
        raise BadInput("the URL holds a password already; leave it out, and it will be asked for.")
    try:
        if forget:
            keyring.delete_password(KEYRING_SERVICE, name)
        else:
            typed = click.prompt(f"Password for {name}", hide_input=True, err=True)
            keyring.set_password(KEYRING_SERVICE, name, typed)
    except KeyringError as error:
        raise UserError(
            f"this system's keyring can't be used ({type(error).__name__}); set SPINDLE_PASSWORD instead."
        ) from error
    say(f"{'forgot' if forget else 'keeping'} the password for {name}.")
    return COMPLETED
