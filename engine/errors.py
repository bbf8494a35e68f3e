"""The errors that leave a package, by who must act.

A ``UserError`` is shown as it is and names the remedy. A ``TargetError`` comes from the database: it is counted,
classified, and part of the result. Anything else is a bug.
"""

from enum import StrEnum

from engine.remedies import Remedy


class _Explained(Exception):  # noqa: N818 - the base of errors, never raised itself
    """An error with a text for the user.

    A remedy that depends on the front end is a ``remedy``, not a text. ``cause`` says what is wrong, as a sentence
    without its end when there is a remedy; ``str`` appends the remedy in plain words.
    """

    def __init__(self, cause: str, *, remedy: Remedy | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.remedy = remedy

    def __str__(self) -> str:
        return self.cause if self.remedy is None else f"{self.cause}; {self.remedy.plain}."


class UserError(_Explained):
    """Something the user can correct: one sentence that names the field, the value and the remedy."""


class BadInput(UserError):  # noqa: N818 - it reads as what it is
    """A value that can't be used, detected before anything was started."""


class RunNotFound(UserError):  # noqa: N818 - it reads as what it is
    """No run of that id is in the library, or in its bin where that was asked; it may have been deleted meanwhile."""


class Cancelled(Exception):  # noqa: N818 - not a fault: somebody asked for it
    """A long operation was stopped on request; what it had begun is undone or marked as unfinished."""


class ErrorClass(StrEnum):
    """The meaning of a database's error for its caller; the values are the column names of all error counts."""

    CONNECTION_LOST = "connection_lost"
    TIMEOUT = "timeout"
    DEADLOCK = "deadlock"
    REJECTED = "rejected"
    MISSING_DATABASE = "missing_database"
    OTHER = "other"


class TargetError(_Explained):
    """An error of the database under test.

    ``error_class`` decides what to do about it, ``usable`` is whether the connection can still be used, and ``code`` is
    the DBMS's own code (an SQLSTATE, an error number), or empty. ``undone`` is true when the server itself has said
    that the call failed: then nothing of it was done, even if the connection was lost.
    """

    def __init__(
        self,
        error_class: ErrorClass,
        message: str,
        *,
        code: str = "",
        usable: bool = True,
        undone: bool = False,
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(message, remedy=remedy)
        self.error_class = error_class
        self.code = code
        self.usable = usable
        self.undone = undone

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.error_class, self.cause, self.code, self.usable, self.undone, self.remedy)


def _rebuilt(
    error_class: ErrorClass, cause: str, code: str, usable: bool, undone: bool, remedy: Remedy | None
) -> TargetError:
    return TargetError(error_class, cause, code=code, usable=usable, undone=undone, remedy=remedy)
