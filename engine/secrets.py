"""Passwords on their way to a connection, in a type that no log, message or traceback can show.

A password comes from the target's URL, from the environment, from the system's keyring, or from a prompt, in this
order. It is sent to client processes through their pipe, and never stored with a run.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping

from engine.errors import UserError

KEYRING_SERVICE = "spindle"
PASSWORD_VARIABLE = "SPINDLE_PASSWORD"  # noqa: S105 - the variable's name
REDFISH_PASSWORD_VARIABLE = "SPINDLE_REDFISH_PASSWORD"  # noqa: S105 - the variable's name
_VARIABLES = {
    "https": REDFISH_PASSWORD_VARIABLE,
    "ipmi": "SPINDLE_IPMI_PASSWORD",
    "snmp": "SPINDLE_SNMP_COMMUNITY",
    "winrm": "SPINDLE_WINRM_PASSWORD",
}
SECRET_VARIABLES = frozenset((PASSWORD_VARIABLE, *_VARIABLES.values()))
"""The environment variables that hold secrets; programs that Spindle starts get none of them."""
WEBHOOK_VARIABLE = "SPINDLE_NOTIFY_URL"
GRAFANA_VARIABLE = "SPINDLE_GRAFANA_TOKEN"
_COVER = "•••"
_CREDENTIALS = re.compile(r"(//[^/:@\s]*):\S*@")


class Secret:
    """A password that is not shown by ``str`` and ``repr``; ``reveal`` returns it for opening a connection."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Secret({_COVER})"

    __str__ = __repr__


def find_secret(
    name: str,
    *,
    environment: Mapping[str, str] = os.environ,
    ask: Callable[[str], str] | None = None,
) -> Secret | None:
    """The password stored under ``name``, or ``None``.

    ``ask`` is called last, with the name; an empty answer means that no password is needed.
    """
    variable = secret_variable(name)
    if variable in environment:
        return Secret(environment[variable])
    kept = kept_secret(name)
    if kept is not None:
        return kept
    answer = ask(name) if ask is not None else ""
    return Secret(answer) if answer else None


def secret_variable(name: str) -> str:
    """The environment variable that holds the secret of a name, by the name's scheme.

    Management controllers (``https``, ``ipmi``), power distribution units (``snmp``) and Windows machines (``winrm``)
    have variables of their own, so that the database's password is sent to none of them.
    """
    return _VARIABLES.get(name.partition("://")[0], PASSWORD_VARIABLE)


def masked(text: str, secrets: Iterable[Secret]) -> str:
    """The text with all the secrets masked, and the password of every URL."""
    for secret in secrets:
        if secret.reveal():
            text = text.replace(secret.reveal(), _COVER)
    return _CREDENTIALS.sub(rf"\1:{_COVER}@", text)


def keep_secret(name: str, secret: Secret) -> None:
    """Store a password in the system's keyring; raises ``UserError`` when there is none or it is locked."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(KEYRING_SERVICE, name, secret.reveal())
    except (KeyringError, RuntimeError) as error:
        raise _no_keyring(name, error) from error


def forget_secret(name: str) -> None:
    """Remove a password from the system's keyring; raises ``UserError`` when it is not there or the keyring can't be
    used."""
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        keyring.delete_password(KEYRING_SERVICE, name)
    except PasswordDeleteError as error:
        raise UserError(f"the keyring holds no password for {name}.") from error
    except (KeyringError, RuntimeError) as error:
        raise _no_keyring(name, error) from error


def _no_keyring(name: str, error: Exception) -> UserError:
    return UserError(
        f"this system's keyring can't be used ({type(error).__name__}); set {secret_variable(name)} instead."
    )


def kept_secret(name: str) -> Secret | None:
    """The password that the system's keyring has under a name; ``None`` if it has none, or there is no keyring."""
    import keyring
    from keyring.errors import KeyringError

    try:
        kept = keyring.get_password(KEYRING_SERVICE, name)
    except (
        KeyringError,
        RuntimeError,
    ):  # no keyring on this machine, or a locked one: the next source is asked
        return None
    return Secret(kept) if kept is not None else None
