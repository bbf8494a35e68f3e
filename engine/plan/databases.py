"""The databases that plans drive where none is named."""

from engine.target.target import DEFAULT_DATABASE
from engine.workload.registry import DVD_STORE


def usual_database(workload_id: str) -> str:
    """The name of a database where none is given: each workload's stores are in databases of their own."""
    return DEFAULT_DATABASE if workload_id == DVD_STORE else workload_id
