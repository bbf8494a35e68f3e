"""The targets that plans drive where none is named, and the names of their databases."""

from collections.abc import Iterable

from engine.errors import BadInput
from engine.subject import Subject
from engine.target.kinds import kind_facts
from engine.target.target import DEFAULT_DATABASE, EMBEDDED, MAIL, STORAGE, Host, Target
from engine.workload.registry import DVD_STORE, find_workload


def usual_database(workload_id: str) -> str:
    """The name of a database where none is given: each workload's stores are in databases of their own."""
    return DEFAULT_DATABASE if workload_id == DVD_STORE else workload_id


def embedded_target(workload_id: str) -> Target:
    """The target where none is given; raises ``BadInput`` for a workload that runs on no database."""
    subject = find_workload(workload_id).subject
    if subject is not Subject.DATABASE:
        raise BadInput(f"workload {workload_id} needs a target; give --target {subject.target_form}.")
    return Target(kind=EMBEDDED, database=usual_database(workload_id))


def targets_of_load(first: Iterable[Target], workload_id: str) -> tuple[Target, ...]:
    """The targets of a further load that names none: the first load's servers, each in the database usual for it."""
    return tuple(target.with_database(usual_database(workload_id)).with_label("") for target in first)


def example_target(workload_id: str) -> Target:
    """A target that the workload can be run on: the embedded server, or an example for what is to be typed."""
    subject = find_workload(workload_id).subject
    if subject is Subject.STORAGE:
        return Target(kind=STORAGE, database="/var/tmp/spindle-file")  # noqa: S108 - an example for what is to be typed
    if subject is Subject.MAIL:
        return Target(kind=MAIL, hosts=(Host("mail.example.org", kind_facts(MAIL).port),), database="example.org")
    return embedded_target(workload_id)
