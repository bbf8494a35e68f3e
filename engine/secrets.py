"""Passwords on their way to a connection: held so that no log, message or traceback can show them.

A password comes from the target's URL, from the environment, from the system's keyring, or from a prompt, in this
order. It goes to client processes through their pipe, and is never stored with a run.
"""

import os
from collections.abc import Callable, Mapping

KEYRING_SERVICE = "spindle"
PASSWORD_VARIABLE = "SPINDLE_PASSWORD"  # noqa: S105 - the variable's name


class Secret:
    """A password that does not show itself; ``reveal`` is for the line that opens a connection."""

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
        return "Secret(•••)"

    __str__ = __repr__


def find_secret(
    name: str,
    *,
    environment: Mapping[str, str] = os.environ,
    ask: Callable[[str], str] | None = None,
) -> Secret | None:
    """The password kept under ``name``, or ``None`` when there is none to be had.

    ``ask`` is called last, with the name; an empty answer means that no password is needed.
    """
    if PASSWORD_VARIABLE in environment:
        return Secret(environment[PASSWORD_VARIABLE])
    kept = _from_keyring(name)
    if kept is not None:
        return kept
    answer = ask(name) if ask is not None else ""
    return Secret(answer) if answer else None


def _from_keyring(name: str) -> Secret | None:
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
