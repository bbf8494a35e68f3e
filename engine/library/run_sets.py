"""The run sets of the library: ``Library.sets``."""

from collections.abc import Iterable
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, RowMapping, delete, func, insert, select, update

from engine.analysis.comparing.run_set import RunSet
from engine.analysis.headline import check_same_workload, headline_of
from engine.errors import Remedy, RemedyKind, UserError
from engine.library.configurations import configuration_key
from engine.library.connecting import read_transaction, write_transaction
from engine.library.names import free_name, key_of_name, numbered_name
from engine.library.reading import key_of, records_of
from engine.library.searching import KEPT
from engine.library.tables import configurations, run_set_members, run_sets, runs
from engine.plan.plan import RunPlan
from engine.record.record import RunRecord

_WHAT = "set"


class RunSets:
    """Run sets by name.

    A ``reference`` is a set's name, in any case, or an unambiguous prefix. Every method raises ``UserError`` when the
    file can't be read or written, or the set or run does not exist.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[RunSet]:
        """All sets, the newest first."""
        with read_transaction(self._engine) as connection:
            keys = connection.execute(select(run_sets.c.key).order_by(run_sets.c.made_at.desc(), run_sets.c.key.desc()))
            return [_read(connection, key) for key in keys.scalars().all()]

    def get(self, reference: str) -> RunSet:
        """The set that ``reference`` names."""
        with read_transaction(self._engine) as connection:
            return _read(connection, _key(connection, reference))

    def records(self, reference: str) -> list[RunRecord]:
        """The records of the set's runs, in their order."""
        with read_transaction(self._engine) as connection:
            key = _key(connection, reference)
            members = select(run_set_members.c.run_key).where(run_set_members.c.set_key == key)
            chosen = select(runs.c.key).where(KEPT, runs.c.key.in_(members))
            found = {each.run_id: each for each in records_of(connection, connection.execute(chosen).scalars().all())}
            return [found[run_id] for run_id in _read(connection, key).run_ids]

    def of_run(self, run_id: str) -> RunSet | None:
        """The set that a run is in."""
        with read_transaction(self._engine) as connection:
            found = _set_of(connection, key_of(connection, run_id))
            return None if found is None else _read(connection, found["key"])

    def make(
        self,
        name: str,
        run_ids: Iterable[str] = (),
        *,
        note: str = "",
        configuration: str = "",
        numbered: bool = False,
    ) -> RunSet:
        """Create a set of these runs in this order; with ``numbered`` a number is appended to a name that is taken.

        Raises ``BadInput`` for a name that is taken or invalid, and ``UserError`` for a run in another set.
        """
        choose = numbered_name if numbered else free_name
        with write_transaction(self._engine) as connection:
            values = {
                "name": choose(connection, run_sets, name, what=_WHAT),
                "note": note,
                "made_at": datetime.now(UTC),
                "configuration_key": configuration_key(connection, configuration) if configuration else None,
            }
            key: int = connection.execute(insert(run_sets).values(values).returning(run_sets.c.key)).scalar_one()
            _add(connection, key, run_ids)
            return _read(connection, key)

    def add(self, reference: str, run_ids: Iterable[str]) -> RunSet:
        """Append runs to the set; runs that it contains already keep their places. Raises ``UserError`` for a run in
        another set."""
        with write_transaction(self._engine) as connection:
            key = _key(connection, reference)
            _add(connection, key, run_ids)
            return _read(connection, key)

    def remove(self, reference: str, run_ids: Iterable[str]) -> RunSet:
        """Remove runs from the set; they stay in the library. Raises ``UserError`` for a run that isn't in it."""
        with write_transaction(self._engine) as connection:
            key = _key(connection, reference)
            for run_id in run_ids:
                run_key = key_of(connection, run_id)
                removal = delete(run_set_members).where(
                    run_set_members.c.run_key == run_key, run_set_members.c.set_key == key
                )
                if not connection.execute(removal).rowcount:
                    name = _read(connection, key).name
                    raise UserError(
                        f"run '{run_id}' is not in set '{name}'", remedy=Remedy(kind=RemedyKind.SHOW_SET, name=name)
                    )
            return _read(connection, key)

    def rename(self, reference: str, name: str) -> RunSet:
        """Rename the set. Raises ``BadInput`` for a name that is taken or invalid."""
        with write_transaction(self._engine) as connection:
            key = _key(connection, reference)
            _change(connection, key, name=free_name(connection, run_sets, name, what=_WHAT, excluded=key))
            return _read(connection, key)

    def set_note(self, reference: str, note: str) -> None:
        """Replace the set's note."""
        with write_transaction(self._engine) as connection:
            _change(connection, _key(connection, reference), note=note)

    def set_configuration(self, reference: str, configuration: str) -> None:
        """Set the configuration of the set's runs; an empty name removes it."""
        with write_transaction(self._engine) as connection:
            chosen = configuration_key(connection, configuration) if configuration else None
            _change(connection, _key(connection, reference), configuration_key=chosen)

    def delete(self, reference: str) -> RunSet:
        """Delete the set, and return it as it was; its runs stay in the library."""
        with write_transaction(self._engine) as connection:
            key = _key(connection, reference)
            removed = _read(connection, key)
            connection.execute(delete(run_sets).where(run_sets.c.key == key))
            return removed


def _key(connection: Connection, reference: str) -> int:
    return key_of_name(connection, run_sets, reference, what=_WHAT, listed=RemedyKind.LIST_SETS)


def _read(connection: Connection, key: int) -> RunSet:
    row = (
        connection.execute(
            select(run_sets, configurations.c.name.label("configuration"))
            .outerjoin(configurations, configurations.c.key == run_sets.c.configuration_key)
            .where(run_sets.c.key == key)
        )
        .mappings()
        .one()
    )
    members = (
        select(runs.c.run_id)
        .join(run_set_members, run_set_members.c.run_key == runs.c.key)
        .where(run_set_members.c.set_key == key, KEPT)
        .order_by(run_set_members.c.position)
    )
    return RunSet(
        name=row["name"],
        made_at=row["made_at"],
        note=row["note"],
        run_ids=tuple(connection.execute(members).scalars()),
        configuration=row["configuration"] or "",
    )


def _add(connection: Connection, key: int, run_ids: Iterable[str]) -> None:
    last = select(func.max(run_set_members.c.position)).where(run_set_members.c.set_key == key)
    position = connection.execute(last).scalar() or 0
    for run_id in run_ids:
        run_key = key_of(connection, run_id)
        found = _set_of(connection, run_key)
        if found is None:
            position += 1
            connection.execute(insert(run_set_members).values(run_key=run_key, set_key=key, position=position))
        elif found["key"] != key:
            raise UserError(f"run '{run_id}' is in set '{found['name']}'; remove it from that set first.")
    members = run_set_members.c.run_key == runs.c.key
    plans = select(runs.c.plan).join(run_set_members, members).where(run_set_members.c.set_key == key)
    check_same_workload(
        headline_of(RunPlan.from_dict(plan).workload).workload for plan in connection.execute(plans).scalars()
    )


def _set_of(connection: Connection, run_key: int) -> RowMapping | None:
    query = (
        select(run_sets.c.key, run_sets.c.name)
        .join(run_set_members, run_set_members.c.set_key == run_sets.c.key)
        .where(run_set_members.c.run_key == run_key)
    )
    return connection.execute(query).mappings().first()


def _change(connection: Connection, key: int, **values: object) -> None:
    connection.execute(update(run_sets).where(run_sets.c.key == key).values(**values))
