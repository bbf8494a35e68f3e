"""The configuration that a run or a run set refers to. Used within this package."""

from sqlalchemy import Connection, delete, insert

from engine.library.names import key_of_name
from engine.library.tables import configurations, run_configurations
from engine.remedies import RemedyKind


def configuration_key(connection: Connection, reference: str) -> int:
    """The key of the configuration of that name, or whose name alone begins so. Raises ``UserError``."""
    listed = RemedyKind.LIST_CONFIGURATIONS
    return key_of_name(connection, configurations, reference, what="configuration", listed=listed)


def point_run(connection: Connection, run_key: int, key: int | None) -> None:
    """Let a run point at a configuration, or at none."""
    connection.execute(delete(run_configurations).where(run_configurations.c.run_key == run_key))
    if key is not None:
        connection.execute(insert(run_configurations).values(run_key=run_key, configuration_key=key))
