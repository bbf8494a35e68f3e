"""PostgreSQL as a database under test, through psycopg 3."""

from engine.databases.database import Session, Store, Timeouts
from engine.secrets import Secret
from engine.target import Target


class PostgreSQL:
    """PostgreSQL 14 or newer; fulfils ``engine.databases.database.Database``."""

    maintenance_database = "postgres"

    def connect(self, target: Target, secret: Secret | None, timeouts: Timeouts, *, first_host: int = 0) -> Session:
        from engine.databases.postgresql.session import open_session

        return open_session(target, secret, timeouts, first_host=first_host)

    def store(self, target: Target, secret: Secret | None, timeouts: Timeouts) -> Store:
        from engine.databases.postgresql.store import PostgreSQLStore

        return PostgreSQLStore(target, secret, timeouts)
