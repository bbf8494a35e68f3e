"""`spindle password`: stores a target's password in the system's keyring, so that no command line contains it."""

import sys

import click

from app.cli.context import Context, pass_context
from app.cli.problems import COMPLETED, print_notice
from engine.errors import BadInput
from engine.machines.access import RedfishAccess
from engine.secrets import Secret, forget_secret, keep_secret
from engine.target.kinds import SERVER_URL_FORM
from engine.target.target import EMBEDDED

_DEFAULT_PORTS = {"ipmi": ":623", "snmp": ":161", "winrm": ""}
"""By what the names of machines' secrets begin with, besides ``https``."""


@click.command("password")
@click.argument("url", metavar="URL")
@click.option("--forget", is_flag=True, help="Remove it from the keyring.")
@pass_context
def password_command(context: Context, url: str, forget: bool) -> int:
    """Keep the password of a target's server and user in the system's keyring; asks for it.

    It serves all databases of that server and user. Without a keyring, SPINDLE_PASSWORD holds one for a command. An
    https URL means a server's management controller, for faults and power readings over Redfish; its variable is
    SPINDLE_REDFISH_PASSWORD. `spindle machine show` prints the names of other machines' passwords.

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
        keep_secret(name, Secret(typed_password(name)))
    print_notice(f"{'removed' if forget else 'stored'} the password for {name}.")
    return COMPLETED


def _name_of(context: Context, url: str) -> str:
    scheme, _, place = url.partition("://")
    if scheme == "https":
        return _controller_name(url)
    if scheme in _DEFAULT_PORTS:
        return _machine_name(scheme, place)
    targets = context.parse_targets([url])
    if len(targets) > 1 or targets[0].kind == EMBEDDED:
        raise BadInput(f"password needs the URL of one server; write {SERVER_URL_FORM}.")
    if not targets[0].takes_password:
        raise BadInput("authentication is integrated, which takes no password; leave it out of the URL.")
    if targets[0].secret_name in context.secrets:
        raise BadInput("the URL already contains a password; leave it out, and you will be asked for it.")
    return targets[0].secret_name


def _controller_name(url: str) -> str:
    user, at, place = url.removeprefix("https://").rpartition("@")
    if not at or ":" in user:
        raise BadInput("a management controller's URL contains a user and no password; write https://admin@bmc1.")
    return RedfishAccess(url=f"https://{place}", user=user).secret_name


def _machine_name(scheme: str, place: str) -> str:
    """The name of a machine's secret as `spindle machine show` prints it."""
    user, at, host = place.rpartition("@")
    takes_user = scheme != "snmp"
    if not host or ":" in user or bool(at) != takes_user:
        example = "snmp://pdu:161" if scheme == "snmp" else f"{scheme}://admin@host"
        raise BadInput(f"URL is '{scheme}://{host}'; write it as `spindle machine show` does, such as {example}.")
    has_port = ":" in host.rpartition("]")[2]
    return f"{scheme}://{place}" + ("" if has_port else _DEFAULT_PORTS[scheme])


def typed_password(name: str, *, noun: str = "password", may_be_empty: bool = False) -> str:
    """The password from a prompt, or from standard input of a script; raises ``BadInput`` when it must not be empty."""
    if sys.stdin.isatty():
        typed: str = click.prompt(
            f"{noun.capitalize()} for {name}", hide_input=True, err=True, default="", show_default=False
        )
    else:
        typed = sys.stdin.readline().rstrip("\r\n")
    if not typed and not may_be_empty:
        raise BadInput("the password is empty; type it, or write it to this command's standard input.")
    return typed
