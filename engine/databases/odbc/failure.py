"""What ODBC says of a call that failed, taken out of pyodbc's exception."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pyodbc

from engine.secrets import Secret, covered

TIMEOUT_STATE = "HYT00"
_UNKNOWN_STATE = "HY000"
_STATE = re.compile(r"\[(\w{5})\] ")
_NATIVE = re.compile(r" \((-?\d+)\)(?: \(SQL\w+\))?(?=$|; \[)")


@dataclass(frozen=True, kw_only=True)
class Failure:
    """The SQLSTATE and the native number of the first diagnostic record, and the text of all of them.

    ``message`` is as pyodbc writes it, but for the first SQLSTATE: ``[vendor][driver]text (number) (SQLFunction)``,
    then ``; [SQLSTATE] [vendor][driver]text (number)`` for each further record. ``native`` is 0 when there was none.
    """

    sqlstate: str
    native: int
    message: str


def failure_of(error: pyodbc.Error, secrets: Iterable[Secret] = ()) -> Failure:
    """The failure that an exception of pyodbc's tells; the ``secrets`` are covered wherever they stand in its text."""
    texts = [str(text) for text in error.args]
    sqlstate = texts[0] if len(texts) > 1 else _UNKNOWN_STATE
    message = _STATE.sub("", texts[-1], count=1) if texts and _STATE.match(texts[-1]) else "".join(texts[-1:])
    native = _NATIVE.search(message)
    failure = Failure(sqlstate=sqlstate, native=int(native[1]) if native else 0, message=message)
    return replace(failure, message=covered(message, secrets))
