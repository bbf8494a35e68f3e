"""The system's own ssh: its keys, agent, configuration and known hosts, and never a password.

Its arguments and the meaning of its failures, shared by faults, conditions of campaigns and collectors.
"""

import shutil
import subprocess

from engine.child_programs import without_console
from engine.errors import UserError
from engine.machines.access import SshAccess
from engine.machines.lookup import check_host_name

PROGRAM = "ssh"
FAILED = 255
"""The exit code of ssh itself when it fails; any other is that of the command."""
_CONNECT_SECONDS = 10.0


def ssh_arguments(access: SshAccess, command: str, *, connect_seconds: float = _CONNECT_SECONDS) -> list[str]:
    """The command line of ssh: it prompts for nothing (so it takes no password), and refuses a host whose key is not
    known. It ends when the server stops answering, since the command itself may cut the connection.
    """
    options = {
        "BatchMode": "yes",
        "StrictHostKeyChecking": "yes",
        "ConnectTimeout": str(max(1, min(round(_CONNECT_SECONDS), round(connect_seconds)))),
        "ServerAliveInterval": "5",
        "ServerAliveCountMax": "2",
    }
    arguments = [PROGRAM, "-T"]
    if access.config_file:
        arguments += ["-F", access.config_file]
    arguments += [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    if access.port is not None:
        arguments += ["-p", str(access.port)]
    if access.user:
        arguments += ["-l", access.user]
    return [*arguments, "--", access.host, command]


def check_ssh() -> None:
    """Raise ``UserError`` when this machine has no ssh."""
    if shutil.which(PROGRAM) is None:
        raise UserError("this machine has no ssh; install its OpenSSH client.")


def check_ssh_host(access: SshAccess) -> None:
    """Raise ``UserError`` when no address is known for the host, as ssh's configuration names it; connects to nothing.

    A host behind a jump host (ProxyJump, ProxyCommand) is not looked up here, but by that host.
    """
    check_ssh()
    settings = ssh_settings(access)
    if "hostname" in settings and not settings.keys() & {"proxyjump", "proxycommand"}:
        check_host_name(settings["hostname"])


def ssh_settings(access: SshAccess) -> dict[str, str]:
    """What ssh's configuration says of the host, such as ``hostname``, by its keywords in small letters; connects to
    nothing, and is empty where ssh does not say it."""
    asked = [PROGRAM, "-G", *ssh_arguments(access, "true")[1:]]
    try:
        said = subprocess.run(
            asked, capture_output=True, text=True, timeout=_CONNECT_SECONDS, check=False, **without_console()
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(line.split(" ", 1) for line in said.stdout.splitlines() if " " in line)


def ssh_problem(access: SshAccess, messages: str) -> UserError:
    """What ssh's messages mean when it has failed, and what can be done, in one sentence.

    ``messages`` is what it wrote to its standard error, or the end of that; it is English whatever the locale.
    """
    place, by_hand = access.place, _by_hand(access)
    if "has changed and you have requested" in messages:
        return UserError(
            f"{place} shows another host key than the one that is known; find out why, then remove the old one with"
            " ssh-keygen -R and accept the new one."
        )
    if "host key is known for" in messages or "Host key verification failed" in messages:
        return UserError(
            f"the host key of {place} is not known; connect once by hand ({by_hand}), compare the fingerprint that is"
            " shown with the machine's own, and accept it."
        )
    if "Permission denied" in messages:
        return UserError(
            f"{place} accepts none of your keys; load the right one into the agent (ssh-add), or enter its public half"
            " there (ssh-copy-id): Spindle gives ssh no password."
        )
    if "Bad configuration option" in messages or "Can't open user config file" in messages:
        return UserError(f"ssh can't use its configuration for {place} ({_last_line(messages)}); correct that file.")
    if "Could not resolve hostname" in messages:
        return UserError(f"no address is known for {access.host}; check the host's name.")
    if "Connection refused" in messages:
        return UserError(f"{place} refused the connection; is an SSH server running there, on that port?")
    return UserError(f"ssh to {place} failed ({_last_line(messages) or 'without a message'}); try {by_hand} by hand.")


def _by_hand(access: SshAccess) -> str:
    words = ["ssh"]
    if access.config_file:
        words += ["-F", access.config_file]
    if access.port is not None:
        words += ["-p", str(access.port)]
    return " ".join([*words, f"{access.user}@{access.host}" if access.user else access.host])


def _last_line(messages: str) -> str:
    lines = [line.strip() for line in messages.splitlines() if line.strip()]
    return "".join(each if each.isprintable() else " " for each in lines[-1]).rstrip(".") if lines else ""
