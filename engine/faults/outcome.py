"""What came of an injection, and its line for the audit: who did what, when it was asked for, when it was done.

Called by what executes injections.
"""

import getpass
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from engine.secrets import SECRET_VARIABLES, Secret, masked

OUTPUT_LIMIT = 4_000
"""How many characters of an injection's output are kept."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of an injection: its output, and its exit code if it is a program.

    ``failure`` is a sentence if it failed. ``never_began`` then says that certainly nothing was done to the
    target; otherwise it may have been, wholly or in part. ``place`` is where a machine of the inventory was reached.
    """

    output: str = ""
    exit_code: int | None = None
    failure: str = ""
    never_began: bool = False
    place: str = ""

    @classmethod
    def not_begun(cls, failure: str) -> "Outcome":
        return cls(failure=failure, never_began=True)


@dataclass(frozen=True, kw_only=True)
class AuditLine:
    """The audit line of an injection in its run; times are UTC. Without ``done_at`` it is still in progress."""

    who: str
    what: str
    asked_at: datetime
    began_at: datetime
    done_at: datetime | None = None
    outcome: Outcome | None = None

    def text(self, secrets: Iterable[Secret] = ()) -> str:
        """The line, with every one of the secrets and every URL's password covered."""
        parts = [f"by {self.who}", self.what.rstrip("."), f"asked {_moment(self.asked_at)}"]
        parts.append(f"began {_moment(self.began_at)}")
        parts.append("under way" if self.done_at is None else f"done {_moment(self.done_at)}")
        if self.outcome is not None:
            parts += _outcome_texts(self.outcome)
        return masked("; ".join(parts), secrets)


def current_user() -> str:
    """The name of the operating system's user, or its number when it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "an unknown user"


def shortened(output: str, *, left_out: int = 0) -> str:
    """Output in one line, without what can't be shown and within ``OUTPUT_LIMIT``.

    ``left_out`` counts the characters that were dropped before.
    """
    lines = ("".join(each if each.isprintable() else " " for each in line).strip() for line in output.splitlines())
    text = " / ".join(line for line in lines if line)
    left_out += max(0, len(text) - OUTPUT_LIMIT)
    return f"{text[:OUTPUT_LIMIT]} … ({left_out} characters more)" if left_out else text


def environment_without_passwords() -> dict[str, str]:
    """This process's environment for programs that it starts: they need none of Spindle's passwords."""
    return {name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES}


def _outcome_texts(outcome: Outcome) -> list[str]:
    parts = [f"at {outcome.place}"] if outcome.place else []
    parts += [] if outcome.exit_code is None else [f"exit code {outcome.exit_code}"]
    parts += [outcome.failure.rstrip(".")] if outcome.failure else []
    return parts + ([f"output: {outcome.output}"] if outcome.output else [])


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
