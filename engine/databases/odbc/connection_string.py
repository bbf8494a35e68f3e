"""ODBC connection strings, with the values escaped: passwords may hold braces, semicolons and quotes."""

import re
from collections.abc import Mapping

from engine.errors import BadInput

_NEVER_IN_A_NAME = "\0;={}"
_DRIVER = "driver"
_WORDS = {"uid": "user", "pwd": "password"}
_FREETDS = re.compile("freetds|tdsodbc", re.IGNORECASE)
_MARIADB = re.compile("mariadb", re.IGNORECASE)
_PLAIN = re.compile(r"(?:[\w.:,/\\+-]+(?: +[\w.:,/\\+-]+)*)?")


def connection_string(attributes: Mapping[str, str]) -> str:
    """``name=value;…`` in the given order; the result holds the password, so it must never be shown.

    A value with any special character stands in braces, and a closing brace in it is doubled: so says ODBC's
    ``SQLDriverConnect``. A plain one stands as it is, for some drivers take the braces around a port for a part of it.
    FreeTDS up to 1.3 does not undo the doubling, newer versions do: it is given a value with a closing brace as it is,
    which all of them read alike. The driver's own name always stands in braces.

    Raises ``BadInput`` for a value that the driver can't be given, without repeating it: one with a NUL, which would
    end the string, and what only one of the drivers gets wrong.
    """
    driver = next((value for name, value in attributes.items() if name.lower() == _DRIVER), "")
    return "".join(f"{_checked_name(name)}={_written(name, value, driver)};" for name, value in attributes.items())


def _checked_name(name: str) -> str:
    if not name or any(character in _NEVER_IN_A_NAME for character in name):
        raise BadInput(f"{name!r} can't be the name of a connection's attribute; leave out ; = and braces.")
    return name


def _written(name: str, value: str, driver: str) -> str:
    if name.lower() == _DRIVER:
        if "{" in value or "}" in value:
            raise BadInput(f"driver is '{value}'; give the name of an installed ODBC driver, without braces.")
        return f"{{{value}}}"
    problem = _problem(value, driver)
    if problem:
        raise BadInput(f"{_WORDS.get(name.lower(), name.lower())} {problem}")
    if _PLAIN.fullmatch(value) or ("}" in value and _FREETDS.search(driver)):
        return value
    return f"{{{value.replace('}', '}}')}}}"


def _problem(value: str, driver: str) -> str:
    """Why a driver can't be given a value; empty when it can."""
    if "\0" in value:
        return "holds a NUL character, which a connection can't contain; remove it."
    if _MARIADB.search(driver) and value != value.strip():
        return f"begins or ends with a space, which driver '{driver}' cuts off; change it."
    if _FREETDS.search(driver) and "}" in value and (";" in value or value.startswith("{")):
        return (
            "holds a closing brace together with a semicolon, or begins with one, which driver FreeTDS can't be given;"
            " change it, or install Microsoft's ODBC Driver 18 for SQL Server."
        )
    return ""
