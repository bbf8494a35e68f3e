"""PostgreSQL's and libpq's errors, sorted into ours."""

from engine.errors import ErrorClass, Remedy, RemedyKind, TargetError
from engine.target.target import Host, Target

# What libpq adds in lines of their own to a refused or a broken connection.
_HINTS = ("Is the server running", "This probably means", "before or while processing")

_READ_ONLY = "25006"
_BY_SQLSTATE = {
    "57014": ErrorClass.TIMEOUT,  # the statement time-out, or somebody's cancel
    "55P03": ErrorClass.TIMEOUT,
    "40001": ErrorClass.DEADLOCK,
    "40P01": ErrorClass.DEADLOCK,
    "3D000": ErrorClass.MISSING_DATABASE,
    _READ_ONLY: ErrorClass.CONNECTION_LOST,  # read-only: the connection leads to a server that is no longer the primary
}
_BY_SQLSTATE_CLASS = {
    "08": ErrorClass.CONNECTION_LOST,
    "57": ErrorClass.CONNECTION_LOST,  # shut down by the administrator, by a crash, or still starting
    "28": ErrorClass.REJECTED,
}
# libpq gives no SQLSTATE for a connection that was never made. A server that is set to another language than English
# is read as refusing the connection, with its own words in the message.
_BY_TEXT = (
    ("password authentication failed", ErrorClass.REJECTED),
    ("no password supplied", ErrorClass.REJECTED),
    ("no pg_hba.conf entry", ErrorClass.REJECTED),
    ("authentication failed", ErrorClass.REJECTED),
    ('role "', ErrorClass.REJECTED),
    ("is not permitted to log in", ErrorClass.REJECTED),
    ("permission denied for database", ErrorClass.REJECTED),
    ("timeout expired", ErrorClass.TIMEOUT),
)


def classified_error(message: str, sqlstate: str, *, usable: bool) -> TargetError:
    """The ``TargetError`` of a statement that failed; ``usable`` says whether its connection can still be used.

    A session that is terminated may have committed before it received the error; any other error that the server
    answers with means that the statement was undone.
    """
    error_class = _BY_SQLSTATE.get(sqlstate) or _BY_SQLSTATE_CLASS.get(sqlstate[:2])
    if error_class is None:
        error_class = ErrorClass.OTHER if usable else ErrorClass.CONNECTION_LOST
    undone = usable and (error_class is not ErrorClass.CONNECTION_LOST or sqlstate == _READ_ONLY)
    if error_class is ErrorClass.CONNECTION_LOST:
        usable = False
    return TargetError(error_class, first_line(message), code=sqlstate, usable=usable, undone=undone)


def connect_error(message: str, host: Host, target: Target) -> TargetError:
    """The ``TargetError`` of a connection that was refused, as one sentence that names host, cause and remedy."""
    reported = last_line(message)
    if 'database "' in reported and "does not exist" in reported:
        return _unusable(
            ErrorClass.MISSING_DATABASE,
            f"Database '{target.database}' does not exist on {host}",
            Remedy(kind=RemedyKind.BUILD_STORE, target=target.url),
        )
    error_class = next((each for text, each in _BY_TEXT if text in reported), ErrorClass.CONNECTION_LOST)
    if error_class is ErrorClass.REJECTED:
        text = f"Host {host} rejected user '{target.user}' ({reported}); check the user and the password."
    elif "Connection refused" in reported:
        text = (
            f"Host {host.name} refused the connection on port {host.port}. Is PostgreSQL running there and listening?"
        )
    elif "invalid response to SSL negotiation" in reported:
        text = f"Host {host.name} answers on port {host.port}, but not as PostgreSQL does. Is the port right?"
    elif "session is read-only" in reported:
        text = f"Host {host} accepts no writes: it is a standby, or set to read-only."
    else:
        text = f"No connection to {host}: {reported}."
    return _unusable(error_class, text)


def connect_timeout(host: Host) -> TargetError:
    return _unusable(
        ErrorClass.TIMEOUT,
        f"Host {host.name} did not answer on port {host.port} in time. Is it up, and is the port right?",
    )


def _unusable(error_class: ErrorClass, message: str, remedy: Remedy | None = None) -> TargetError:
    return TargetError(error_class, message, usable=False, remedy=remedy)


def first_line(message: str) -> str:
    """The server's own sentence, without severity, context and hints."""
    line = message.strip().split("\n", 1)[0]
    for severity in ("ERROR:", "FATAL:", "PANIC:"):
        line = line.removeprefix(severity).strip()
    return line


def last_line(message: str) -> str:
    """The last word of a failed connection: libpq puts what it tried before it, and the cause at the end."""
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    causes = [line for line in lines if not line.startswith(_HINTS)]
    line = (causes or lines or ["no reason given"])[-1]
    return line.rpartition("FATAL:")[2].strip() if "FATAL:" in line else line.rpartition("failed: ")[2].rstrip(".")
