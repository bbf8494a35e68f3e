"""MariaDB's and MySQL's errors, by their numbers, sorted into ours.

The numbers are those of the two servers' manuals ("Error Codes", "Server Error Message Reference"); those from 2000 to
2999 are the client library's, and those from 5000 on MariaDB's own client library's. Called by the dialect.
"""

import errno
import re

from engine.databases.failure import Failure
from engine.errors import ErrorClass, Remedy, RemedyKind, TargetError
from engine.target.kinds import kind_facts
from engine.target.target import Host, Target

UNKNOWN_DATABASE = 1049
NOT_ENCRYPTED = 1242
"""A subquery with too many rows: what the dialect's first statement gives on a connection without TLS."""
NO_SUCH_TABLE = 1146
NO_SUCH_SCHEMA_TABLE = 1109
"""MySQL's of a table that information_schema lacks."""
DATABASE_EXISTS = 1007
NO_RIGHTS = 1044
MAY_NOT = frozenset({NO_RIGHTS, 1142, 1227, 1370, 1410, 1419})
"""A privilege is missing: for a database, a table, an administrator's task, a routine, making accounts, a trigger."""
LOCAL_INFILE_OFF = frozenset({1148, 2068, 3948, 3950, 4166})
"""The server, or the driver, takes no rows from a file of the client's."""
INTERRUPTED = frozenset({1317, 1969, 3024})
"""The server stopped a call from outside of its procedure, whose handlers were passed over."""

_REJECTED = frozenset({1044, 1045, 1129, 1130, 1251, 1275, 1524, 1698, 1820, 1862, 2059, 2061, 3118, 3159, 4151})
_TIMED_OUT = INTERRUPTED | {1205}
# The last one is InnoDB's under snapshot isolation: a record has changed since it was read.
_DEADLOCKS = frozenset({1213, 1614, 3101, 1020})
_READ_ONLY = frozenset({1290, 1792, 1836})
_IS_READ_ONLY_OPTION = re.compile(r"read[-_]only", re.IGNORECASE)
# At a commit: what became of it is not known.
_IN_DOUBT = frozenset({1180, 3100})
_LOST = frozenset({
    1040, 1203, 1226,  # too many connections
    1047,  # a node that has lost its cluster
    1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031,  # shut down, killed, or the network's
    2002, 2003, 2005, 2006, 2012, 2013, 2014, 2026, 2055,
    5013, 5014, 5015,  # MariaDB's client library could not read, write, or unpack what came
})  # fmt: skip
_SQLSTATE_TIMEOUTS = ("HYT00", "HYT01")
_LABELS = re.compile(r"^(?:\[[^\]]*\])+")
_FURTHER_RECORDS = re.compile(r"; \[\w{5}\] ")
_NUMBER_AND_CALL = re.compile(r"(?: \(-?\d+\))?(?: \(SQL\w+\))?$")
_OS_ERROR = re.compile(r"(?:system error: |errno: |\()(\d+)\)?")
# Windows has numbers of its own. MariaDB's driver gives EINPROGRESS for a connection that was refused: it looked at the
# number before it waited.
_NEVER_ANSWERED = (errno.ETIMEDOUT, errno.EAGAIN, 10060)
_REFUSED = (errno.ECONNREFUSED, errno.EINPROGRESS, 10061, 10035)


def classified_error(failure: Failure, *, usable: bool) -> TargetError:
    """The ``TargetError`` of a call that failed; ``usable`` says whether its connection can still be used.

    A session that is terminated may have committed before it received the error; any other error that the server
    answers with means that the statement was undone. Of a procedure that was interrupted only the session knows.
    """
    error_class = _class_of(failure) or (ErrorClass.OTHER if usable else ErrorClass.CONNECTION_LOST)
    is_read_only = _is_read_only(failure)
    undone = usable and failure.native not in _IN_DOUBT
    if error_class is ErrorClass.CONNECTION_LOST:
        usable, undone = False, is_read_only
    return TargetError(error_class, server_message(failure), code=_code(failure), usable=usable, undone=undone)


def connect_error(failure: Failure, host: Host, target: Target) -> TargetError:
    """The ``TargetError`` of a connection that was refused, as one sentence that names host, cause and remedy."""
    product = kind_facts(target.kind).product
    remedy: Remedy | None = None
    if failure.native == UNKNOWN_DATABASE:
        error_class = ErrorClass.MISSING_DATABASE
        text = f"Database '{target.database}' does not exist on {host}"
        remedy = Remedy(kind=RemedyKind.BUILD_STORE, target=target.url)
    elif failure.native in _REJECTED:
        error_class = ErrorClass.REJECTED
        text = (
            f"Host {host} rejected user '{target.user}' ({server_message(failure)}); check the user and the password."
        )
    elif failure.native == NOT_ENCRYPTED:
        error_class = ErrorClass.REJECTED
        text = f"Host {host} has no TLS, and sslmode is {target.tls}; set TLS up on the server, or change sslmode."
    elif _os_error(failure) in _REFUSED:
        error_class = ErrorClass.CONNECTION_LOST
        text = f"Host {host.name} refused the connection on port {host.port}. Is {product} running there and listening?"
    elif failure.sqlstate in _SQLSTATE_TIMEOUTS or _os_error(failure) in _NEVER_ANSWERED:
        error_class = ErrorClass.TIMEOUT
        text = f"Host {host.name} did not answer on port {host.port} in time. Is it up, and is the port right?"
    else:
        error_class = ErrorClass.CONNECTION_LOST
        text = f"No connection to {host}: {server_message(failure).rstrip('.')}."
    return TargetError(error_class, text, code=_code(failure), usable=False, remedy=remedy)


def server_message(failure: Failure) -> str:
    """The server's own sentence, without the driver's labels and ODBC's function; never empty."""
    first = _FURTHER_RECORDS.split(failure.message.strip(), maxsplit=1)[0]
    sentence = _NUMBER_AND_CALL.sub("", _LABELS.sub("", first)).strip()
    return sentence or f"the driver gave no reason (SQLSTATE {failure.sqlstate}, number {failure.native})"


def _class_of(failure: Failure) -> ErrorClass | None:
    number = failure.native
    if number in _LOST or _is_read_only(failure):
        return ErrorClass.CONNECTION_LOST
    if number in _TIMED_OUT or failure.sqlstate in _SQLSTATE_TIMEOUTS:
        return ErrorClass.TIMEOUT
    if number in _DEADLOCKS:
        return ErrorClass.DEADLOCK
    if number in _REJECTED:
        return ErrorClass.REJECTED
    if number == UNKNOWN_DATABASE:
        return ErrorClass.MISSING_DATABASE
    return ErrorClass.CONNECTION_LOST if failure.sqlstate.startswith("08") else None


def _is_read_only(failure: Failure) -> bool:
    """Read-only: the connection leads to a server that is no longer the primary. 1290 names other options too."""
    return failure.native in _READ_ONLY and (
        failure.native != 1290 or bool(_IS_READ_ONLY_OPTION.search(failure.message))
    )


def _os_error(failure: Failure) -> int:
    """The operating system's number in the text of a connection that was not made; 0 when there is none."""
    found = _OS_ERROR.findall(server_message(failure)) if failure.native in (2002, 2003, 2013) else []
    return int(found[-1]) if found else 0


def _code(failure: Failure) -> str:
    return str(failure.native) if failure.native else failure.sqlstate


def is_one_of(error: TargetError, numbers: frozenset[int]) -> bool:
    """Whether the server gave one of these numbers for an error."""
    return error.code.isdigit() and int(error.code) in numbers
