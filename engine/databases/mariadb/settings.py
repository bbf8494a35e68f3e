"""The settings of sessions of MariaDB and MySQL, as parts of a SET statement."""

import math

from engine.target.kinds import MARIADB, MYSQL

# Whatever the server is set to: what can't be stored is an error.
SQL_MODE = "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO'"
# Long work takes its time, also where the server has a limit for everybody; a user's session sets its own.
NO_LIMIT = {MARIADB: "max_statement_time = 0", MYSQL: "max_execution_time = 0"}

# A recorded call sets this variable to null when it begins, and to something else when it is about to commit: a call
# that the server interrupts leaves its handlers out, and its transaction open.
COMMITTING = "SELECT @spindle_commits"


def limits(kind: str, seconds: float) -> tuple[str, str]:
    """How long the server lets a call take. MySQL's limit is for single reads and not for procedures, whose waiting
    for locks alone is limited; and MariaDB's comes last, for it forgets an interruption in the middle of a SET.
    """
    wait = f"innodb_lock_wait_timeout = {max(1, math.ceil(seconds))}"
    if kind == MARIADB:
        return wait, f"max_statement_time = {seconds:.3f}"
    return wait, f"max_execution_time = {round(seconds * 1000)}"


def session_settings(kind: str, seconds: float) -> str:
    """The statement that sets up a user's session whose calls have so many seconds."""
    return f"SET SESSION {', '.join((SQL_MODE, 'autocommit = 1', *limits(kind, seconds)))}"
