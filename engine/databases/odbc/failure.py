"""The error of a failed ODBC call, extracted from pyodbc's exception."""

import re
from collections.abc import Iterable
from dataclasses import replace

import pyodbc

from engine.databases.failure import Failure
from engine.secrets import Secret, masked

_UNKNOWN_STATE = "HY000"
_STATE = re.compile(r"\[(\w{5})\] ")
_NATIVE = re.compile(r" \((-?\d+)\)(?: \(SQL\w+\))?(?=$|; \[)")


def failure_of(error: pyodbc.Error, secrets: Iterable[Secret] = ()) -> Failure:
    """The failure in a pyodbc exception; the ``secrets`` are masked wherever they occur in its text."""
    texts = [str(text) for text in error.args]
    sqlstate = texts[0] if len(texts) > 1 else _UNKNOWN_STATE
    message = _STATE.sub("", texts[-1], count=1) if texts and _STATE.match(texts[-1]) else "".join(texts[-1:])
    native = _NATIVE.search(message)
    failure = Failure(sqlstate=sqlstate, native=int(native[1]) if native else 0, message=message)
    return replace(failure, message=masked(message, secrets))
