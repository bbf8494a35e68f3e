"""Asking one SQL Server again and again whether it commits writes: what the probe of a store does to each host.

The probe logs in to master, which every replica lets it do whatever its role, and the question is a commit of its own;
``resources/sql/mssql/probe.sql`` says why.
"""

from engine.databases.database import ProbeAnswer, Prober
from engine.databases.mssql.dialect import SqlServerDialect
from engine.databases.mssql.scripts import batches
from engine.databases.odbc.connection import OdbcConnection
from engine.databases.odbc.prober import OdbcProber
from engine.secrets import Secret
from engine.target.target import Host, Target


def prober(target: Target, host: Host, secret: Secret | None) -> Prober:
    """What asks one of a target's hosts whether it commits writes to the target's database."""
    (question,) = batches("probe")

    def probe(connection: OdbcConnection) -> ProbeAnswer:
        ((takes_writes, server),) = connection.query(question, target.database)
        return ProbeAnswer(takes_writes=bool(takes_writes), server=str(server))

    return OdbcProber(SqlServerDialect(), target.with_maintenance_database(), host, secret, probe)
