"""The databases under test: one Protocol, one package per DBMS, the only places that import a driver."""

from engine.databases.database import Database
from engine.errors import BadInput
from engine.target.target import MARIADB, MSSQL, MYSQL, POSTGRESQL


def database_of(kind: str) -> Database:
    """The DBMS of a target's kind; its driver is loaded only now."""
    if kind == POSTGRESQL:
        from engine.databases.postgresql import PostgreSQL

        return PostgreSQL()
    if kind in (MARIADB, MYSQL):
        from engine.databases.mariadb import MariaDB

        return MariaDB()
    if kind == MSSQL:
        from engine.databases.mssql import SqlServer

        return SqlServer()
    raise BadInput(f"target kind '{kind}' is no database; databases are {POSTGRESQL}, {MARIADB}, {MYSQL} and {MSSQL}.")
