"""The campaigns of the library and their journals: ``Library.campaigns``."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, delete, func, insert, select, update

from engine.campaign.journal import CampaignRecord, CampaignState, EntryState, JournalEntry
from engine.campaign.plan import CampaignPlan
from engine.errors import BadInput, Remedy, RemedyKind, UserError
from engine.library.connecting import read_transaction, write_transaction
from engine.library.names import checked_name, key_of_name, names_of
from engine.library.owner import Owner, this_process
from engine.library.tables import campaign_entries, campaigns

_WHAT = "campaign"


class Campaigns:
    """Campaigns by name.

    A ``reference`` is a name, in any case, or an unambiguous prefix. Every method raises ``UserError`` when the file
    can't be read or written, or the campaign does not exist.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> list[CampaignRecord]:
        """All campaigns with their journals, the newest first."""
        with read_transaction(self._engine) as connection:
            query = select(campaigns).order_by(campaigns.c.made_at.desc(), campaigns.c.key.desc())
            return [_record(connection, row) for row in connection.execute(query).mappings().all()]

    def get(self, reference: str) -> CampaignRecord:
        """The campaign that ``reference`` names, with its journal."""
        with read_transaction(self._engine) as connection:
            return _read(connection, _key(connection, reference))

    def begin(self, plan: CampaignPlan) -> "CampaignJournal":
        """Add a campaign that begins now and is carried out by this process; returns its journal.

        Raises ``BadInput`` for a name that is taken.
        """
        owner = this_process()
        with write_transaction(self._engine) as connection:
            values = {
                "name": _free_name(connection, plan.name),
                "plan": plan.to_dict(),
                "state": CampaignState.RUNNING.value,
                "reason": "",
                "made_at": datetime.now(UTC),
                "owner_pid": owner.pid,
                "owner_created": owner.created,
            }
            key = connection.execute(insert(campaigns).values(values).returning(campaigns.c.key)).scalar_one()
        return CampaignJournal(self._engine, key)

    def resume(self, reference: str) -> "CampaignJournal":
        """Let this process carry a campaign on; returns its journal.

        Raises ``UserError`` when it is completed, or another process carries it out.
        """
        owner = this_process()
        with write_transaction(self._engine) as connection:
            key = _key(connection, reference)
            record = _read(connection, key)
            if record.state is CampaignState.COMPLETED:
                raise UserError(f"campaign '{record.name}' is completed; run its file again under another name.")
            if record.state is CampaignState.RUNNING:
                raise UserError(
                    f"campaign '{record.name}' is running in another program",
                    remedy=Remedy(kind=RemedyKind.STOP_CAMPAIGN, name=record.name),
                )
            values = {
                "state": CampaignState.RUNNING.value,
                "reason": "",
                "ended_at": None,
                "stop_requested": False,
                "owner_pid": owner.pid,
                "owner_created": owner.created,
            }
            _change(connection, key, **values)
        return CampaignJournal(self._engine, key)

    def request_stop(self, reference: str) -> CampaignRecord:
        """Ask the process that carries the campaign out to stop it in order; raises ``UserError`` when none does."""
        with write_transaction(self._engine) as connection:
            key = _key(connection, reference)
            record = _read(connection, key)
            if record.state is not CampaignState.RUNNING:
                raise UserError(f"campaign '{record.name}' {record.state.predicate}, so there is nothing to stop.")
            _change(connection, key, stop_requested=True)
            return record

    def delete(self, reference: str) -> CampaignRecord:
        """Delete a campaign and its journal, and return it as it was; its runs and sets stay in the library."""
        with write_transaction(self._engine) as connection:
            key = _key(connection, reference)
            record = _read(connection, key)
            if record.state is CampaignState.RUNNING:
                raise UserError(
                    f"campaign '{record.name}' is running",
                    remedy=Remedy(kind=RemedyKind.STOP_CAMPAIGN, name=record.name),
                )
            connection.execute(delete(campaigns).where(campaigns.c.key == key))
            return record


class CampaignJournal:
    """The journal of one campaign, for the process that carries it out: an ``engine.campaign.journal.Journal``."""

    def __init__(self, engine: Engine, key: int) -> None:
        self._engine = engine
        self._key = key

    def record(self) -> CampaignRecord:
        """The campaign with its journal as they are now."""
        with read_transaction(self._engine) as connection:
            return _read(connection, self._key)

    def entries(self) -> Sequence[JournalEntry]:
        return self.record().entries

    def begin(self, path: str, kind: str, title: str, data: Mapping[str, Any]) -> JournalEntry:
        return self._add(path, kind, title, data, EntryState.RUNNING)

    def note(
        self, path: str, kind: str, title: str, data: Mapping[str, Any], *, state: EntryState, reason: str
    ) -> JournalEntry:
        return self._add(path, kind, title, data, state, reason)

    def _add(
        self, path: str, kind: str, title: str, data: Mapping[str, Any], state: EntryState, reason: str = ""
    ) -> JournalEntry:
        now = datetime.now(UTC)
        of_campaign = campaign_entries.c.campaign_key == self._key
        with write_transaction(self._engine) as connection:
            number = connection.execute(select(func.max(campaign_entries.c.number)).where(of_campaign)).scalar() or 0
            same_path = select(func.count()).where(of_campaign, campaign_entries.c.path == path)
            entry = JournalEntry(
                number=number + 1,
                path=path,
                attempt=connection.execute(same_path).scalar_one() + 1,
                kind=kind,
                title=title,
                state=state,
                began_at=now,
                ended_at=None if state is EntryState.RUNNING else now,
                reason=reason,
                data=dict(data),
            )
            connection.execute(insert(campaign_entries).values(campaign_key=self._key, **vars(entry)))
        return entry

    def set_run(self, number: int, run_id: str) -> None:
        with write_transaction(self._engine) as connection:
            _change_entry(connection, self._key, number, run_id=run_id)

    def end(self, number: int, state: EntryState, reason: str = "", data: Mapping[str, Any] | None = None) -> None:
        with write_transaction(self._engine) as connection:
            found = select(campaign_entries.c.data).where(
                campaign_entries.c.campaign_key == self._key, campaign_entries.c.number == number
            )
            kept = {**connection.execute(found).scalar_one(), **(data or {})}
            _change_entry(
                connection, self._key, number, state=state, reason=reason, ended_at=datetime.now(UTC), data=kept
            )

    def is_stop_requested(self) -> bool:
        with read_transaction(self._engine) as connection:
            found = select(campaigns.c.stop_requested).where(campaigns.c.key == self._key)
            return bool(connection.execute(found).scalar_one())

    def finish(self, state: CampaignState, reason: str = "") -> None:
        """Store how the campaign ended."""
        with write_transaction(self._engine) as connection:
            _change(connection, self._key, state=state.value, reason=reason, ended_at=datetime.now(UTC))


def _free_name(connection: Connection, name: str) -> str:
    """A name that no campaign has; raises ``BadInput``."""
    taken = {each.casefold(): each for each in names_of(connection, campaigns)}
    name = checked_name(name, what=_WHAT)
    if (other := taken.get(name.casefold())) is not None:
        raise BadInput(
            f"name of the campaign is '{name}', which is already in use",
            remedy=Remedy(kind=RemedyKind.RESUME_CAMPAIGN, name=other),
        )
    return name


def _key(connection: Connection, reference: str) -> int:
    return key_of_name(connection, campaigns, reference, what=_WHAT, listed=RemedyKind.LIST_CAMPAIGNS)


def _read(connection: Connection, key: int) -> CampaignRecord:
    row = connection.execute(select(campaigns).where(campaigns.c.key == key)).mappings().one()
    return _record(connection, row)


def _record(connection: Connection, row: RowMapping) -> CampaignRecord:
    query = select(campaign_entries).where(campaign_entries.c.campaign_key == row["key"])
    rows = connection.execute(query.order_by(campaign_entries.c.number)).mappings()
    return CampaignRecord(
        name=row["name"],
        plan=CampaignPlan.from_dict(row["plan"]),
        state=_state(row),
        reason=row["reason"],
        made_at=row["made_at"],
        ended_at=row["ended_at"],
        entries=tuple(_entry(each) for each in rows),
    )


def _state(row: RowMapping) -> CampaignState:
    """The state; a campaign whose process has ended without a word was interrupted."""
    state = CampaignState(row["state"])
    if state is CampaignState.RUNNING and not Owner(row["owner_pid"], row["owner_created"]).is_alive():
        return CampaignState.INTERRUPTED
    return state


def _entry(row: RowMapping) -> JournalEntry:
    values = {name: value for name, value in row.items() if name != "campaign_key"}
    return JournalEntry(**(values | {"state": EntryState(row["state"])}))


def _change(connection: Connection, key: int, **values: object) -> None:
    connection.execute(update(campaigns).where(campaigns.c.key == key).values(**values))


def _change_entry(connection: Connection, key: int, number: int, **values: object) -> None:
    chosen = update(campaign_entries).where(campaign_entries.c.campaign_key == key, campaign_entries.c.number == number)
    connection.execute(chosen.values(**values))
