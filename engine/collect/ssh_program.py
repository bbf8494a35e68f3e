"""A command on another machine by the system's ssh, whose output is read line by line while it runs."""

from engine.collect.program import StreamedProgram
from engine.errors import UserError
from engine.faults.outcome import shortened
from engine.machines.access import SshAccess
from engine.machines.ssh import FAILED, check_ssh, ssh_arguments, ssh_problem


def ssh_program(access: SshAccess, command: str, *, machine: str) -> StreamedProgram:
    """Start a command there. Raises ``UserError`` when this workstation has no ssh."""
    check_ssh()

    def explain(code: int | None, messages: str) -> UserError:
        if code == FAILED:
            problem = ssh_problem(access, messages)
            return UserError(f"{machine}: {problem.cause}", remedy=problem.remedy)
        said = shortened(messages).rstrip(".")
        program = command.split(maxsplit=1)[0]
        return UserError(f"{machine}: {program} ended there with exit code {code}{f' ({said})' if said else ''}.")

    return StreamedProgram(ssh_arguments(access, command), what=f"{machine}: ssh to {access.place}", explain=explain)
