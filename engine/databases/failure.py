"""What a driver, or a server itself, says of a call that failed: before it is sorted into our errors."""

from dataclasses import dataclass

TIMEOUT_STATE = "HYT00"
"""ODBC's SQLSTATE of a host that did not answer in time."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """SQLSTATE, the number of the server's or the driver's (0 when there is none), and the text.

    Of ODBC the text is as pyodbc writes it, without the first SQLSTATE: ``[vendor][driver]text (number) (Function)``,
    then ``; [SQLSTATE] [vendor][driver]text (number)`` for each further record.
    """

    sqlstate: str
    native: int
    message: str
