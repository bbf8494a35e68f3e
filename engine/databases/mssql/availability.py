"""Always On availability groups: what is recorded of one with a run.

Called by the store for the environment of a run. Only a log-in with VIEW SERVER STATE may look.
"""

from engine.databases.mssql.scripts import batches
from engine.databases.odbc.connection import OdbcConnection

_MAY_LOOK = "SELECT HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER STATE')"


def availability(connection: OdbcConnection, database: str) -> dict[str, str]:
    """What is known of a database's availability group, by names fit for a server's settings.

    Empty when it is in none, or when this user may not look.
    """
    ((may_look,),) = connection.query(_MAY_LOOK)
    (question,) = batches("availability")
    rows = connection.query(question, database) if may_look else []
    if not rows:
        return {}
    known = {"availability group": str(rows[0][0])}
    for _, server, mode, failover, role, synchronization, is_local in rows:
        known[f"availability replica {server}"] = f"{role}, {mode}, {failover} failover, {synchronization}"
        if is_local:
            known["availability mode"] = str(mode)
            known["availability role"] = str(role)
            known["availability synchronization"] = str(synchronization)
    return known
