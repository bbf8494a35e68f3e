"""Commands over SSH by the system's own ssh: its keys, agent, configuration and known hosts, and never a password.

Called by the injector's doers.
"""

from engine.faults.commands import run_program
from engine.faults.injections import SshInjection
from engine.faults.outcome import Outcome

PROGRAM = "ssh"
_CONNECT_SECONDS = 10
_SSH_FAILED = 255


def ssh_arguments(injection: SshInjection) -> list[str]:
    """The call of ssh: it asks nothing (so it takes no password), and refuses a host whose key is not known.

    The server's silence ends it, since the command may well be what cuts the connection.
    """
    connect_seconds = max(1, min(_CONNECT_SECONDS, round(injection.timeout_seconds)))
    options = {
        "BatchMode": "yes",
        "StrictHostKeyChecking": "yes",
        "ConnectTimeout": str(connect_seconds),
        "ServerAliveInterval": "5",
        "ServerAliveCountMax": "2",
    }
    arguments = [PROGRAM, "-T", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    if injection.port is not None:
        arguments += ["-p", str(injection.port)]
    if injection.user:
        arguments += ["-l", injection.user]
    return [*arguments, "--", injection.host, injection.command]


def run_ssh(injection: SshInjection) -> Outcome:
    """Run the command there and wait for its end, at most ``timeout_seconds``."""
    outcome = run_program(ssh_arguments(injection), injection.timeout_seconds)
    if outcome.exit_code != _SSH_FAILED:
        return outcome
    # 255 means that ssh itself failed; whether the command had begun by then is unknown
    return Outcome(
        output=outcome.output, exit_code=_SSH_FAILED, failure=f"ssh to {injection.place} failed or was cut off"
    )
