"""The configurations of the library: ``Library.configurations``."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection, Engine, delete, insert, select, update

from engine.analysis.comparing.configuration import Configuration
from engine.errors import Remedy, RemedyKind, UserError
from engine.library.connecting import read_transaction, write_transaction
from engine.library.names import checked_name, free_name, key_of_name, names_of, put_row
from engine.library.reading import key_of
from engine.library.searching import KEPT
from engine.library.tables import configurations, run_configurations, run_set_members, run_sets, runs

_WHAT = "configuration"


@dataclass(frozen=True, kw_only=True)
class ConfigurationUse:
    """The runs, by id and newest first, and the run sets, by name, that refer to a configuration."""

    run_ids: tuple[str, ...]
    set_names: tuple[str, ...]


class Configurations:
    """Configurations by name.

    A ``reference`` is a name, in any case, or an unambiguous prefix. Every method raises ``UserError`` when the file
    can't be read or written, or the configuration does not exist.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[Configuration]:
        """All configurations in alphabetical order."""
        with read_transaction(self._engine) as connection:
            return [_read(connection, key) for key in names_of(connection, configurations).values()]

    def get(self, reference: str) -> Configuration:
        """The configuration that ``reference`` names."""
        with read_transaction(self._engine) as connection:
            return _read(connection, configuration_key(connection, reference))

    def save(self, configuration: Configuration) -> Configuration:
        """Add or replace a configuration; runs and sets that refer to its name keep doing so. Raises ``BadInput``."""
        name = checked_name(configuration.name, what=_WHAT)
        kept = replace(configuration, name=name)
        with write_transaction(self._engine) as connection:
            put_row(connection, configurations, name, kept.to_dict())
        return kept

    def rename(self, reference: str, name: str) -> Configuration:
        """Rename a configuration; what refers to it still does. Raises ``BadInput`` for a name that is taken."""
        with write_transaction(self._engine) as connection:
            key = configuration_key(connection, reference)
            renamed = replace(
                _read(connection, key), name=free_name(connection, configurations, name, what=_WHAT, excluded=key)
            )
            values = {"name": renamed.name, "content": renamed.to_dict()}
            connection.execute(update(configurations).where(configurations.c.key == key).values(values))
            return renamed

    def delete(self, reference: str, *, in_use: bool = False) -> ConfigurationUse:
        """Delete a configuration, and return what referred to it.

        Raises ``UserError`` when a run or set refers to it, unless ``in_use`` is true: then the reference is removed.
        """
        with write_transaction(self._engine) as connection:
            key = configuration_key(connection, reference)
            use = _use(connection, key)
            if (use.run_ids or use.set_names) and not in_use:
                raise UserError(
                    f"configuration '{_read(connection, key).name}' is used by {_use_text(use)}",
                    remedy=Remedy(kind=RemedyKind.DELETE_IN_USE),
                )
            connection.execute(delete(configurations).where(configurations.c.key == key))
            return use

    def use(self, reference: str) -> ConfigurationUse:
        """The runs and run sets that refer to it."""
        with read_transaction(self._engine) as connection:
            return _use(connection, configuration_key(connection, reference))

    def point_runs(self, run_ids: Iterable[str], reference: str) -> None:
        """Set the configuration of runs; an empty reference removes it."""
        with write_transaction(self._engine) as connection:
            key = configuration_key(connection, reference) if reference else None
            for run_id in run_ids:
                point_run(connection, key_of(connection, run_id), key)

    def of_run(self, run_id: str) -> Configuration | None:
        """The configuration of a run: its own, else that of its set."""
        with read_transaction(self._engine) as connection:
            run_key = key_of(connection, run_id)
            own = select(run_configurations.c.configuration_key).where(run_configurations.c.run_key == run_key)
            key = connection.execute(own).scalar()
            if key is None:
                of_set = (
                    select(run_sets.c.configuration_key)
                    .join(run_set_members, run_set_members.c.set_key == run_sets.c.key)
                    .where(run_set_members.c.run_key == run_key)
                )
                key = connection.execute(of_set).scalar()
            return None if key is None else _read(connection, key)


def _read(connection: Connection, key: int) -> Configuration:
    content = connection.execute(select(configurations.c.content).where(configurations.c.key == key)).scalar_one()
    return Configuration.from_dict(content)


def _use(connection: Connection, key: int) -> ConfigurationUse:
    of_runs = (
        select(runs.c.run_id)
        .join(run_configurations, run_configurations.c.run_key == runs.c.key)
        .where(run_configurations.c.configuration_key == key, KEPT)
        .order_by(runs.c.started_at.desc())
    )
    of_sets = select(run_sets.c.name).where(run_sets.c.configuration_key == key).order_by(run_sets.c.name)
    return ConfigurationUse(
        run_ids=tuple(connection.execute(of_runs).scalars()), set_names=tuple(connection.execute(of_sets).scalars())
    )


def _use_text(use: ConfigurationUse) -> str:
    parts = [f"set '{name}'" for name in use.set_names]
    if use.run_ids:
        parts.append(f"run {use.run_ids[0]}" if len(use.run_ids) == 1 else f"{len(use.run_ids)} runs")
    return ", ".join(parts)


def configuration_key(connection: Connection, reference: str) -> int:
    """The key of the configuration of that name, or whose name alone begins so. Raises ``UserError``."""
    listed = RemedyKind.LIST_CONFIGURATIONS
    return key_of_name(connection, configurations, reference, what="configuration", listed=listed)


def point_run(connection: Connection, run_key: int, key: int | None) -> None:
    """Let a run point at a configuration, or at none."""
    connection.execute(delete(run_configurations).where(run_configurations.c.run_key == run_key))
    if key is not None:
        connection.execute(insert(run_configurations).values(run_key=run_key, configuration_key=key))
