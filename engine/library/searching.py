"""The conditions of a search for runs, as SQL expressions on ``runs``: for ``engine.library.reading``."""

from collections.abc import Collection
from datetime import datetime
from functools import reduce
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select

from engine.library.tables import campaign_entries, campaigns, clients, run_set_members, run_sets, run_tags, runs
from engine.record.record import RunState

KEPT = runs.c.deleted_at.is_(None)
DELETED = runs.c.deleted_at.is_not(None)
_BETWEEN = "\x1f"


def conditions(
    *,
    text: str = "",
    tags: Collection[str] = (),
    states: Collection[RunState] = (),
    started_from: datetime | None = None,
    run_set: str = "",
    campaign: str = "",
    deleted: bool = False,
) -> list[ColumnElement[bool]]:
    """The conditions of ``Library.runs`` for runs that are not deleted, or with ``deleted`` for those that are."""
    found: list[ColumnElement[bool]] = [DELETED if deleted else KEPT]
    if started_from is not None:
        found.append(runs.c.started_at >= started_from)
    if states:
        found.append(runs.c.state.in_([state.value for state in states]))
    if run_set:
        found.append(_is_in_set(run_set))
    if campaign:
        found.append(_is_in_campaign(campaign))
    found += [_has_tag(run_tags.c.tag == tag) for tag in tags]
    if text:
        found.append(_mentions(text))
    return found


def _mentions(text: str) -> ColumnElement[bool]:
    """All searched texts of a run joined, so that ``casefold``, a Python function, is called once a run."""
    labels = select(func.group_concat(clients.c.label, _BETWEEN)).where(clients.c.run_key == runs.c.key)
    tags = select(func.group_concat(run_tags.c.tag, _BETWEEN)).where(run_tags.c.run_key == runs.c.key)
    plan = func.coalesce(runs.c.plan["name"].as_string(), "")
    own: tuple[ColumnElement[str], ...] = (runs.c.run_id, runs.c.name, runs.c.note, plan)
    of_others = (func.coalesce(each.scalar_subquery(), "") for each in (labels, tags))
    return _holds(reduce(lambda all_before, each: all_before.concat(_BETWEEN).concat(each), (*own, *of_others)), text)


def _holds(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    return func.casefold(column).contains(text.casefold(), autoescape=True)


def _has_tag(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(run_tags.c.tag).where(and_(run_tags.c.run_key == runs.c.key, condition)).exists()


def _is_in_set(name: str) -> ColumnElement[bool]:
    members = select(run_set_members.c.run_key).join(run_sets, run_sets.c.key == run_set_members.c.set_key)
    same_name = func.casefold(run_sets.c.name) == name.casefold()
    return members.where(run_set_members.c.run_key == runs.c.key, same_name).exists()


def _is_in_campaign(name: str) -> ColumnElement[bool]:
    entries = select(campaign_entries.c.number).join(campaigns, campaigns.c.key == campaign_entries.c.campaign_key)
    same_name = func.casefold(campaigns.c.name) == name.casefold()
    return entries.where(campaign_entries.c.run_id == runs.c.run_id, same_name).exists()
