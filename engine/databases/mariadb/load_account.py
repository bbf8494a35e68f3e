"""The account under which a run's users connect to MariaDB or MySQL: it may call the store's procedures, and no more.

Made by an administrator's connection before a run, and dropped with the store.
"""

import hashlib
from collections.abc import Sequence

from engine.databases.mariadb.errors import MAY_NOT, is_one_of
from engine.databases.mariadb.sql_text import literal, quoted
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.load_account import load_password
from engine.errors import TargetError
from engine.secrets import Secret

_LONGEST_NAME = 32  # MySQL's; MariaDB takes 80 characters
_HASH_CHARACTERS = 8
# A user without a name at this machine's own host, as old installations have one, would be taken before '%'.
_PLACES = ("%", "localhost")


def account_name(database: str) -> str:
    """``spindle_<database>``; what is too long ends with a hash instead, so that no two databases share an account."""
    name = f"spindle_{database}"
    if len(name) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(database.encode()).hexdigest()[:_HASH_CHARACTERS]
    return f"{name[: _LONGEST_NAME - len(digest) - 1]}_{digest}"


def make_account(
    connection: OdbcConnection, database: str, procedures: Sequence[str], secret: Secret | None, salt: bytes
) -> tuple[str, Secret] | None:
    """Make the account, which may call these procedures, or renew it.

    ``None`` when the connection's user may not manage accounts or grant rights: then no account is left that was made
    without its rights.
    """
    name, password = account_name(database), load_password(secret, salt)
    try:
        for place in _PLACES:
            _make(connection, database, procedures, f"{literal(name)}@{literal(place)}", password)
    except TargetError as error:
        if not is_one_of(error, MAY_NOT):
            raise
        drop_account(connection, database)
        return None
    return name, password


def drop_account(connection: OdbcConnection, database: str) -> None:
    """Drop the account, if there is one and the connection's user may."""
    name = account_name(database)
    try:
        for place in _PLACES:
            connection.query(f"DROP USER IF EXISTS {literal(name)}@{literal(place)}")
    except TargetError as error:
        if not is_one_of(error, MAY_NOT):
            raise


def _make(connection: OdbcConnection, database: str, procedures: Sequence[str], account: str, password: Secret) -> None:
    identified = f"IDENTIFIED BY {literal(password.reveal())}"
    connection.query(f"CREATE USER IF NOT EXISTS {account} {identified}")
    connection.query(f"ALTER USER {account} {identified}")
    for procedure in procedures:
        connection.query(f"GRANT EXECUTE ON PROCEDURE {quoted(database)}.{procedure} TO {account}")
