"""`spindle password`: stores a target's password in the system's keyring, so that no command line contains it."""

import sys

import click

from app.cli.context import Context, pass_context
from app.cli.problems import COMPLETED, say
from engine.errors import BadInput
from engine.faults.injections import RedfishInjection
from engine.secrets import Secret, forget_secret, keep_secret
from engine.target.kinds import ANY_URL_FORM
from engine.target.target import EMBEDDED


@click.command("password")
@click.argument("url", metavar="URL")
@click.option("--forget", is_flag=True, help="Remove it from the keyring.")
@pass_context
def password_command(context: Context, url: str, forget: bool) -> int:
    """Keep the password of a target's server and user in the system's keyring; asks for it.

    It serves all databases of that server and user. Without a keyring, SPINDLE_PASSWORD holds one for a command. An
    https URL means a server's management controller, for faults over Redfish; its variable is SPINDLE_REDFISH_PASSWORD.

    \b
    Examples:
      spindle password postgresql://me@db1
      spindle password mariadb://root@db1
      spindle password 'mssql://sa@db1\\instance'
      spindle password https://admin@bmc1
    """
    name = _name_of(context, url)
    if forget:
        forget_secret(name)
    else:
        keep_secret(name, Secret(_typed(name)))
    say(f"{'removed' if forget else 'stored'} the password for {name}.")
    return COMPLETED


def _name_of(context: Context, url: str) -> str:
    if url.startswith("https://"):
        return _controller_name(url)
    targets = context.parse_targets([url])
    if len(targets) > 1 or targets[0].kind == EMBEDDED:
        raise BadInput(f"password needs the URL of one server; write {ANY_URL_FORM}.")
    if not targets[0].takes_password:
        raise BadInput("authentication is integrated, which takes no password; leave it out of the URL.")
    if targets[0].secret_name in context.secrets:
        raise BadInput("the URL already contains a password; leave it out, and you will be asked for it.")
    return targets[0].secret_name


def _controller_name(url: str) -> str:
    user, at, place = url.removeprefix("https://").rpartition("@")
    if not at or ":" in user:
        raise BadInput("a management controller's URL contains a user and no password; write https://admin@bmc1.")
    return RedfishInjection(reset_type="On", url=f"https://{place}", user=user).secret_name


def _typed(name: str) -> str:
    """The password from a prompt, or from standard input of a script."""
    if sys.stdin.isatty():
        typed: str = click.prompt(f"Password for {name}", hide_input=True, err=True)
    else:
        typed = sys.stdin.readline().rstrip("\r\n")
    if not typed:
        raise BadInput("the password is empty; type it, or write it to this command's standard input.")
    return typed
