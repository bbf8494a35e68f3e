"""Classifies the errors of SQL Server and its ODBC drivers.

The tables' numbers and texts are those of Microsoft's "Database engine events and errors" (what ``sys.messages``
holds), and of its articles on availability groups and on transient faults. FreeTDS' own, 20002 to 20047, are those of
its ``sybdb.h``. It matters which of them mean that nothing was done: a purchase that may have been committed is in
doubt, and so it is after any error that is not known to occur before the commit.
"""

import re
from dataclasses import dataclass

from engine.errors import ErrorClass, Remedy, RemedyKind, TargetError
from engine.target.target import Host, Target

# An availability database that is not, or no longer, to be used here; a server that starts, stops or gives a session
# up; a network that broke. What became of a call that was under way, nobody knows.
_CONNECTION_LOST = frozenset(
    {
        596,  # the session is in the kill state
        921,  # the database has not been recovered yet
        922,  # the database is being recovered
        924,  # the database is already open and can only have one user at a time
        926,  # the database has been marked suspect by recovery
        927,  # the database is in the middle of a restore
        942,  # the database is offline
        945,  # the database can't be opened: inaccessible files
        952,  # the database is in transition
        954,  # it is acting as a mirror database
        955,  # mirrored, but it lacks quorum
        956,  # mirrored, but not yet synchronized with its partner
        972,  # the database could not be used during procedure execution
        976,  # in an availability group, and not accessible for queries: a secondary that can't be read
        978,  # accessible only with read-only intent: a readable secondary
        979,  # does not allow read-only connections
        982,  # no online secondary replica is enabled for read-only access
        983,  # the replica is neither primary nor secondary: resolving, in the middle of a failover
        988,  # it lacks a quorum of nodes for high availability
        3908,  # no transaction can begin: the database is in emergency mode or damaged
        3948,  # terminated because of the availability replica's change of state
        3971,  # the server failed to resume the transaction
        3980,  # the batch is aborted, or another request is running in the session
        3984,  # no database lock during a transaction change
        3988,  # no new transaction: there are other threads running in the session
        3989,  # no new request without a valid transaction descriptor
        4221,  # a readable secondary waits for the row versions of transactions that were under way
        6002,  # SHUTDOWN is in progress: log off
        6005,  # SHUTDOWN is in progress
        6006,  # the server was shut down by request
        9001,  # the database's log is not available
        10053,  # Windows sockets: the connection was aborted here
        10054,  # Windows sockets: the peer reset the connection
        10060,  # Windows sockets: the connection timed out
        10061,  # Windows sockets: the connection was refused
        10928,  # Azure SQL: the limit of sessions or requests is reached
        10929,  # Azure SQL: the server is too busy for more requests
        17142,  # the service has been paused: no new connections
        17148,  # the service is being shut down: no new connections
        17187,  # not ready to accept new client connections
        17197,  # the login took too long on a busy server
        17830,  # a network error while the connection was made
        18401,  # the server is in script upgrade mode
        20002,  # FreeTDS: the connection failed
        20004,  # FreeTDS: the read from the server failed
        20006,  # FreeTDS: the write to the server failed
        20009,  # FreeTDS: unable to connect, the server is unavailable or does not exist
        20017,  # FreeTDS: unexpected end of file from the server
        20020,  # FreeTDS: a bad token from the server, its stream is out of step
        20047,  # FreeTDS: the process is dead or not enabled
        10936,  # Azure SQL: the limit of requests of the elastic pool is reached
        40143,  # Azure SQL: the service could not process the request
        40197,  # Azure SQL: an error while processing the request, such as a failover
        40501,  # Azure SQL: the service is busy
        40540,  # Azure SQL: the database has changed to read-only, or the session was aborted
        40549,  # Azure SQL: the session was ended for a long transaction
        40550,  # Azure SQL: the session was ended for too many locks
        40551,  # Azure SQL: the session was ended for too much of tempdb
        40552,  # Azure SQL: the session was ended for too much of the log
        40553,  # Azure SQL: the session was ended for too much memory
        40613,  # Azure SQL: the database is not currently available
        40642,  # Azure SQL: the server is too busy
        42108,  # Azure SQL: the pool is paused
        42109,  # Azure SQL: the pool is warming up
        49918,  # Azure SQL: not enough resources to process the request
        49919,
        49920,
    }
)
# The connection leads to a server that takes no writes. Said of a procedure's first write, before it could commit.
_READ_ONLY = frozenset({3906})
_REJECTED = frozenset(
    {
        916,  # the login is no user of the database
        4064,  # the login's default database can't be opened
        17892,  # a log-on trigger refused it
        18452,  # the login is from an untrusted domain
        18456,  # the login failed: user or password
        18461,  # the server is in single user mode
        18470,  # the account is disabled
        18486,  # the account is locked out
        18487,  # the password has expired
        18488,  # the password must be changed
    }
)
_MISSING_DATABASE = frozenset(
    {
        911,  # the database does not exist
        4060,  # the database that the login asks for can't be opened
    }
)
CANT_OPEN = frozenset(map(str, _MISSING_DATABASE))
"""Codes that a database's name comes back with also where it exists and is not open yet, or not to this user."""
_DEADLOCK = frozenset(
    {
        1205,  # deadlock victim
        3960,  # a snapshot transaction's update conflict
        3961,  # a snapshot transaction met a change of the tables
    }
)
_LOCK_TIMEOUT = frozenset({1222})  # the lock request time-out that the session has set
_QUERY_TIMEOUT = frozenset({20003})  # FreeTDS: the time-out of a query
# Errors of a statement. With XACT_ABORT on, each rolls the whole transaction back before its message is sent.
_OF_A_STATEMENT = frozenset(
    {
        102, 156, 201, 206, 207, 208, 220, 229, 230, 241, 242, 245, 248, 262, 2812, 8114, 8115, 8134, 8144, 8145, 8146,
        8152, 2628,  # wrong SQL, arguments, names, conversions and missing rights
        297, 300, 371, 1088, 1807, 2557, 2571, 3110, 4902, 5011, 5069, 15151, 15247,  # an administrator lacks rights
        40508, 40510, 40517, 41901, 41918,  # a managed server does without the statement, or without an option of it
        515, 547, 2601, 2627,  # constraints
        1101, 1105, 1204, 3958, 3966, 9002, 40544,  # space and locks run out; memory may do so after the commit too
        3609, 3930, 3931, 3940, 3998,  # the transaction is doomed, or was rolled back at the end of the batch
        8622,  # no plan follows the hints of the query
        7601, 7607, 7609, 7619, 7630, 7643, 7645, 9954, 9955, 30046, 30049, 30053,  # full text
    }
)  # fmt: skip
# What comes beside an error and says nothing of its own: 3621, the statement has been terminated; 0 of a driver.
_COMPANIONS = frozenset({0, 3621})
_RAISED = frozenset({50_000})  # RAISERROR in a batch of Spindle's own
_UNDONE = _READ_ONLY | _DEADLOCK | _LOCK_TIMEOUT | _MISSING_DATABASE | _REJECTED | _OF_A_STATEMENT | _RAISED
_CLASSES = (
    (_CONNECTION_LOST | _READ_ONLY, ErrorClass.CONNECTION_LOST),
    (_QUERY_TIMEOUT | _LOCK_TIMEOUT, ErrorClass.TIMEOUT),
    (_DEADLOCK, ErrorClass.DEADLOCK),
    # Before the missing database: a login that is refused the one gets 18456 as well.
    (_MISSING_DATABASE, ErrorClass.MISSING_DATABASE),
    (_REJECTED, ErrorClass.REJECTED),
)
_BY_SQLSTATE = {
    "HYT00": ErrorClass.TIMEOUT,  # the query's or the login's time-out
    "HYT01": ErrorClass.TIMEOUT,  # the connection's
    "HY008": ErrorClass.TIMEOUT,  # cancelled from here
}
# 08: the link failed. IM, as in IMC01 to IMC06: the driver could not bring a broken connection back.
_LOST_SQLSTATES = ("08", "IMC0")
_NUMBER = re.compile(r"\((-?\d+)\)(?= \(SQL\w+\)(?:; \[|$)|; \[|$)")
_PREFIX = re.compile(r"^(?:\s*\[[^\[\]]*\])+")
_CERTIFICATE = re.compile(r"certificate|not trusted|principal name", re.IGNORECASE)
# pyodbc's own words; and FreeTDS' for the first call on a connection that has died while nothing was asked on it.
_CLOSED = re.compile(r"closed (connection|cursor)|connection has been closed|\bUnknown error \(0\)", re.IGNORECASE)
_KERBEROS = re.compile(r"SSPI|Kerberos|GSS")


@dataclass(frozen=True)
class Classified:
    """A classified error: its class, whether nothing was done, and its number (an SQLSTATE if it has none)."""

    error_class: ErrorClass
    undone: bool
    code: str


def sort_failure(sqlstate: str, native: int, message: str) -> Classified:
    """Classify a failed ODBC call by SQLSTATE, native number, and the message with all of its records.

    The most severe record decides the class; nothing was done only if every record says so.
    """
    numbers = [number for number in (native, *numbers_of(message)) if number not in _COMPANIONS]
    if sqlstate.startswith(_LOST_SQLSTATES) or (not numbers and _CLOSED.search(message)):
        return Classified(ErrorClass.CONNECTION_LOST, False, _code(sqlstate, numbers))
    # Whatever state a driver gives it, such as that of a time-out of its own: the server itself has ended the wait.
    ended_by_server = bool(numbers) and _LOCK_TIMEOUT.issuperset(numbers)
    if sqlstate in _BY_SQLSTATE and not ended_by_server:
        return Classified(_BY_SQLSTATE[sqlstate], False, _code(sqlstate, numbers))
    undone = bool(numbers) and all(number in _UNDONE for number in numbers)
    for table, error_class in _CLASSES:
        found = [number for number in numbers if number in table]
        if found:
            return Classified(error_class, undone, str(found[0]))
    return Classified(ErrorClass.OTHER, undone, _code(sqlstate, numbers))


def call_error(sqlstate: str, native: int, message: str, *, usable: bool) -> TargetError:
    """The ``TargetError`` of a call that failed; ``usable`` says whether its connection can still be used.

    A session whose call may have been done, or whose server takes no writes, is not gone on with: what is left open on
    it, nobody knows.
    """
    what = sort_failure(sqlstate, native, message)
    undone = what.undone and usable
    error_class = what.error_class
    if not usable and error_class is not ErrorClass.TIMEOUT:
        error_class = ErrorClass.CONNECTION_LOST  # whatever else it says, nothing can be tried again on it
    stays = undone and error_class is not ErrorClass.CONNECTION_LOST
    return TargetError(error_class, plain(message), code=what.code, usable=stays, undone=undone)


def connect_error(sqlstate: str, native: int, message: str, host: Host, target: Target) -> TargetError:
    """The ``TargetError`` of a connection that was refused, as one sentence that names host, cause and remedy."""
    what = sort_failure(sqlstate, native, message)
    reported = plain(message)
    error_class = _class_of_refusal(what, reported)
    remedy: Remedy | None = None
    if error_class is ErrorClass.REJECTED and _CERTIFICATE.search(reported):
        text = f"Host {host} has a certificate that is not trusted here ({reported})"
        remedy = Remedy(kind=RemedyKind.TRUST_CERTIFICATE)
    elif error_class is ErrorClass.MISSING_DATABASE:
        text = (
            f"Database '{target.database}' does not exist on {host}, or is not open yet, or user '{target.user}' may"
            " not open it"
        )
        remedy = Remedy(kind=RemedyKind.BUILD_STORE, target=target.url)
    elif error_class is ErrorClass.REJECTED:
        who = f"user '{target.user}'" if target.user else "the account that runs Spindle"
        mend = "check the user and the password" if target.takes_password else "check that account's login and ticket"
        text = f"Host {host} rejected {who} ({reported}); {mend}."
    elif error_class is ErrorClass.TIMEOUT:
        text = f"Host {host} did not answer in time. Is it up, and is the port right?"
    elif error_class is ErrorClass.OTHER:
        text = f"Database '{target.database}' on {host} can't be used: {reported}."
    else:
        text = f"No connection to {host}: {reported}. Is SQL Server running there, and does it listen on TCP/IP?"
    return TargetError(error_class, text, code=what.code, usable=False, remedy=remedy)


def _class_of_refusal(what: Classified, reported: str) -> ErrorClass:
    """Trust and tickets are refused as a broken link; what is not known keeps a connection from being made."""
    if what.undone or what.error_class not in (ErrorClass.CONNECTION_LOST, ErrorClass.OTHER):
        return what.error_class
    return (
        ErrorClass.REJECTED
        if _CERTIFICATE.search(reported) or _KERBEROS.search(reported)
        else ErrorClass.CONNECTION_LOST
    )


def numbers_of(message: str) -> list[int]:
    """The native numbers of all records in a message of pyodbc's, in their order.

    It writes ``[SQLSTATE] text (number) (function); [SQLSTATE] text (number)``.
    """
    return [int(number) for number in _NUMBER.findall(message)]


def plain(message: str) -> str:
    """The first record's own words: no SQLSTATE, no names of driver and vendor, no number."""
    first = re.split(r"; \[", message, maxsplit=1)[0]
    text = _PREFIX.sub("", first)
    text = re.sub(r"(?: \(-?\d+\))?(?: \(SQL\w+\))?\s*$", "", text)
    return " ".join(text.split()).rstrip(".") or "no reason given"


def _code(sqlstate: str, numbers: list[int]) -> str:
    return str(numbers[0]) if numbers else sqlstate
