"""The error of a failed call as the driver or the server reports it, before it is classified."""

from dataclasses import dataclass

TIMEOUT_STATE = "HYT00"
"""ODBC's SQLSTATE for a host that did not answer in time."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """SQLSTATE, the native error number of the server or driver (0 if there is none), and the text.

    For ODBC the text is pyodbc's, without the first SQLSTATE: ``[vendor][driver]text (number) (Function)``,
    then ``; [SQLSTATE] [vendor][driver]text (number)`` for each further record.
    """

    sqlstate: str
    native: int
    message: str
