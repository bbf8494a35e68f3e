"""The library's configurations: ``Library.configurations``."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlalchemy import Connection, Engine, delete, insert, select, update

from engine.analysis.comparing.configuration import Configuration
from engine.errors import UserError
from engine.library.configuration_links import configuration_key, point_run
from engine.library.connecting import read_transaction, write_transaction
from engine.library.names import checked_name, free_name, names_of
from engine.library.reading import key_of
from engine.library.searching import KEPT
from engine.library.tables import configurations, run_configurations, run_set_members, run_sets, runs
from engine.remedies import Remedy, RemedyKind

_WHAT = "configuration"


@dataclass(frozen=True, kw_only=True)
class ConfigurationUse:
    """What points at a configuration: runs by their ids, newest first, and run sets by their names."""

    run_ids: tuple[str, ...]
    set_names: tuple[str, ...]


class Configurations:
    """Configurations by name. A ``reference`` is a name, capitals or not, or the beginning of just one.

    Every method raises ``UserError`` when the file can't be read or written, and for one that isn't there.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[Configuration]:
        """Every configuration, in the order of the alphabet."""
        with read_transaction(self._engine) as connection:
            return [_read(connection, key) for key in names_of(connection, configurations).values()]

    def get(self, reference: str) -> Configuration:
        """The configuration that is meant."""
        with read_transaction(self._engine) as connection:
            return _read(connection, configuration_key(connection, reference))

    def save(self, configuration: Configuration) -> Configuration:
        """Keep it, in place of one of the same name; what pointed at that one points at this. Raises ``BadInput``."""
        name = checked_name(configuration.name, what=_WHAT)
        kept = replace(configuration, name=name)
        with write_transaction(self._engine) as connection:
            taken = {each.casefold(): key for each, key in names_of(connection, configurations).items()}
            key = taken.get(name.casefold())
            values = {"name": name, "content": kept.to_dict()}
            if key is None:
                connection.execute(insert(configurations).values(values))
            else:
                connection.execute(update(configurations).where(configurations.c.key == key).values(values))
        return kept

    def rename(self, reference: str, name: str) -> Configuration:
        """Give it another name; what points at it still does. Raises ``BadInput`` for one that is taken."""
        with write_transaction(self._engine) as connection:
            key = configuration_key(connection, reference)
            renamed = replace(
                _read(connection, key), name=free_name(connection, configurations, name, what=_WHAT, but=key)
            )
            values = {"name": renamed.name, "content": renamed.to_dict()}
            connection.execute(update(configurations).where(configurations.c.key == key).values(values))
            return renamed

    def delete(self, reference: str, *, in_use: bool = False) -> ConfigurationUse:
        """Take it out of the library for good, and return what pointed at it.

        Raises ``UserError`` when anything does, unless that is to point at none from then on (``in_use``).
        """
        with write_transaction(self._engine) as connection:
            key = configuration_key(connection, reference)
            use = _use(connection, key)
            if (use.run_ids or use.set_names) and not in_use:
                raise UserError(
                    f"configuration '{_read(connection, key).name}' is used by {_told(use)}",
                    remedy=Remedy(kind=RemedyKind.DELETE_IN_USE),
                )
            connection.execute(delete(configurations).where(configurations.c.key == key))
            return use

    def use(self, reference: str) -> ConfigurationUse:
        """What points at it."""
        with read_transaction(self._engine) as connection:
            return _use(connection, configuration_key(connection, reference))

    def point_runs(self, run_ids: Iterable[str], reference: str) -> None:
        """Say what runs were measured on; an empty reference takes that back."""
        with write_transaction(self._engine) as connection:
            key = configuration_key(connection, reference) if reference else None
            for run_id in run_ids:
                point_run(connection, key_of(connection, run_id), key)

    def of_run(self, run_id: str) -> Configuration | None:
        """What a run was measured on: what it points at itself, else its set."""
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


def _told(use: ConfigurationUse) -> str:
    parts = [f"set '{name}'" for name in use.set_names]
    if use.run_ids:
        parts.append(f"run {use.run_ids[0]}" if len(use.run_ids) == 1 else f"{len(use.run_ids)} runs")
    return ", ".join(parts)
