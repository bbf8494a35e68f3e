"""`spindle machine`: the machines that runs are measured on and with, and how they are reached."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click
from rich.table import Table

from app.cli.context import Context, pass_context
from app.cli.machine_watts import watts_command
from app.cli.options import WHOLE, complete_machine, parameter_option
from app.cli.password import typed_password
from app.cli.problems import COMPLETED, FAILED, print_notice
from app.cli.terminal import one_line, print_json, print_table
from app.cli.text_page import plain_table
from engine.collect.checking import check_machine, check_values
from engine.errors import BadInput, UserError
from engine.machines.access import ACCESS_TYPES, Access, AccessKind, access_from_dict, access_parameters
from engine.machines.inventory import Inventory, change_inventory, machine_to_dict, read_inventory
from engine.machines.machine import Machine, read_role
from engine.secrets import Secret, find_secret, forget_secret, keep_secret, kept_secret, secret_variable

_name_argument = click.argument("name", metavar="NAME", shell_complete=complete_machine)
_roles_option = click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="ROLE",
    help="What it is for: database-server, storage, load-machine or power-meter. Repeatable.",
)


@click.group("machine")
def machine_command() -> None:
    """The inventory: machines that runs are measured on, and the ways in which they are reached.

    Plans, faults, campaigns and configurations name a machine of it, such as `--machine db1` or `ssh machine:db1`. The
    machine `workstation`, on which Spindle runs, is always there.

    \b
    Examples:
      spindle machine add ssh db1 --host db1.lab --user root --role database-server
      spindle machine add redfish db1 --url https://db1-bmc --user admin
      spindle machine test db1
    """


@machine_command.command("list")
@click.option("--json", "as_json", is_flag=True, help="As JSON, a list of machines.")
@pass_context
def list_command(context: Context, as_json: bool) -> int:
    """List the machines: roles, and how each is reached."""
    inventory = read_inventory(context.places.machines)
    if as_json:
        print_json([machine_to_dict(each) for each in inventory])
    else:
        print_table(_table(inventory.machines))
    return COMPLETED


@machine_command.command("show")
@_name_argument
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@pass_context
def show_command(context: Context, name: str, as_json: bool) -> int:
    """Show machine NAME: roles, accesses, which passwords are known."""
    machine = read_inventory(context.places.machines).machine(name)
    if as_json:
        print_json(machine_to_dict(machine))
        return COMPLETED
    print(machine.name + "".join(f", {each.label}" for each in machine.roles))
    for number, access in enumerate(machine.accesses, 1):
        print(f"{number}: {access.title}")
        for parameter in access_parameters(type(access)):
            if text := parameter.write(getattr(access, parameter.key)):
                print(f"   {parameter.label}: {one_line(text)}")
        if access.secret_name:
            print(f"   {access.credential.capitalize()}: {_where_known(access.secret_name)}")
    return COMPLETED


@machine_command.group("add")
def add_command() -> None:
    """Add a way of reaching a machine, and a machine that is new.

    A password or community is asked for and kept in the system's keyring; a script gives it by an environment variable
    (SPINDLE_REDFISH_PASSWORD, SPINDLE_IPMI_PASSWORD, SPINDLE_SNMP_COMMUNITY, SPINDLE_WINRM_PASSWORD) to the commands
    that use it, or stores it with `spindle password`.
    """


@machine_command.command("set")
@_name_argument
@click.option("--name", "new_name", metavar="NEW", help="Another name.")
@_roles_option
@click.option("--no-role", is_flag=True, help="No role any more.")
@pass_context
def set_command(context: Context, name: str, new_name: str | None, roles: tuple[str, ...], no_role: bool) -> int:
    """Give machine NAME other roles, or another name.

    Plans and faults that name it have to be changed to its new name.
    """

    def changed(inventory: Inventory) -> Inventory:
        machine = inventory.machine(name)
        if roles or no_role:
            machine = replace(machine, roles=tuple(map(read_role, roles)))
        if new_name is not None:
            machine = replace(machine, name=new_name)
        return inventory.put(machine, instead_of=name)

    change_inventory(context.places.machines, changed)
    return COMPLETED


@machine_command.command("remove")
@_name_argument
@click.option("--access", "number", type=WHOLE, metavar="NUMBER", help="Only this access, by its number in `show`.")
@click.option("--forget", is_flag=True, help="Remove its passwords from the keyring as well.")
@pass_context
def remove_command(context: Context, name: str, number: int | None, forget: bool) -> int:
    """Remove machine NAME from the inventory, or one of its accesses."""
    gone: tuple[Access, ...] = ()

    def left(inventory: Inventory) -> Inventory:
        nonlocal gone
        machine = inventory.machine(name)
        gone = machine.accesses if number is None else (_numbered(machine, number),)
        return inventory.without(name) if number is None else inventory.put(_without(machine, gone))

    change_inventory(context.places.machines, left)
    if forget:
        for secret_name in dict.fromkeys(each.secret_name for each in gone if each.secret_name):
            if kept_secret(secret_name) is not None:
                forget_secret(secret_name)
    return COMPLETED


@machine_command.command("test")
@click.argument("names", metavar="[NAME...]", nargs=-1, shell_complete=complete_machine)
@pass_context
def test_command(context: Context, names: tuple[str, ...]) -> int:
    """Connect to machines; say what works and what is missing.

    Each machine NAME, or each of the inventory, is reached by all its accesses in turn, and two readings are taken:
    which counters, disks and interfaces would be read, and how far its clock is off. Nothing is changed or installed
    there. The exit code is 1 when an access does not work.
    """
    inventory = read_inventory(context.places.machines)
    machines = [inventory.machine(each) for each in names] or list(inventory)
    works = True
    for machine in machines:
        for report in check_machine(machine, find_secret):
            print(f"{machine.name}: {report.sentence}", flush=True)
            works = works and report.works
    return COMPLETED if works else FAILED


def _add_command(kind: AccessKind) -> click.Command:
    """The command that adds an access of a kind; its options are the fields of the access."""
    access_type = ACCESS_TYPES[kind]

    def add(context: Context, /, name: str, roles: tuple[str, ...], is_instead: bool, **given: Any) -> int:
        values = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items() if value}
        access = access_from_dict({"kind": kind.value, **values})
        check_values(access)

        def added(inventory: Inventory) -> Inventory:
            machine = inventory.machine(name) if name in inventory.names else Machine(name=name)
            kept = tuple(each for each in machine.accesses if not (is_instead and each.kind is kind))
            roles_now = (*machine.roles, *map(read_role, roles))
            return inventory.put(replace(machine, accesses=(*kept, access), roles=roles_now))

        change_inventory(context.places.machines, added)
        _ask_for_secret(access)
        print_notice(
            f"added {access.title} ({access.place}) to machine {name}; try it with: spindle machine test {name}"
        )
        return COMPLETED

    replacing = click.option(
        "--replace", "is_instead", is_flag=True, help=f"In the place of all {access_type.title} it has."
    )
    command: Callable[..., Any] = _roles_option(replacing(pass_context(add)))
    for parameter in reversed(access_parameters(access_type)):
        command = parameter_option(parameter)(command)
    name = kind.value.replace("_", "-")
    return click.command(name, help=f"{access_type.summary}.", short_help=f"{access_type.summary}.")(
        _name_argument(command)
    )


machine_command.add_command(watts_command)
for _kind in ACCESS_TYPES:
    add_command.add_command(_add_command(_kind))


def _ask_for_secret(access: Access) -> None:
    """Store the access's password in the keyring: at a terminal it is asked for, unless it is known."""
    name = access.secret_name
    if not name or find_secret(name) is not None:
        return
    if not sys.stdin.isatty():
        print_notice(f"its {access.credential} is not known yet; store it with: spindle password {name}")
        return
    if typed := typed_password(name, noun=access.credential, may_be_empty=True):
        try:
            keep_secret(name, Secret(typed))
        except UserError as error:  # the machine is there all the same
            print_notice(str(error))


def _where_known(secret_name: str) -> str:
    if secret_variable(secret_name) in os.environ:
        return f"in the environment, {secret_variable(secret_name)}"
    if kept_secret(secret_name) is not None:
        return f"in the keyring, as {secret_name}"
    return f"not known; store it with: spindle password {secret_name}"


def _numbered(machine: Machine, number: int) -> Access:
    if not 1 <= number <= len(machine.accesses):
        raise BadInput(
            f"access is {number}, and machine '{machine.name}' has {len(machine.accesses)};"
            f" see spindle machine show {machine.name}."
        )
    return machine.accesses[number - 1]


def _without(machine: Machine, gone: tuple[Access, ...]) -> Machine:
    return replace(machine, accesses=tuple(each for each in machine.accesses if each not in gone))


def _table(machines: tuple[Machine, ...]) -> Table:
    table = plain_table(("machine", "roles", "reached by"), folding=("roles", "reached by"))
    for machine in machines:
        accesses = ", ".join(
            each.title if each.kind is AccessKind.LOCAL else f"{each.title} ({one_line(each.place)})"
            for each in machine.accesses
        )
        table.add_row(machine.name, ", ".join(each.label for each in machine.roles), accesses)
    return table
